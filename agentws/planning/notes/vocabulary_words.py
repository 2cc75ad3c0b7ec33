"""The words of vocabulary/*.toml, folded, by what they mean. Made by tools/build_vocabulary.py.

A row is a kind, how its words are matched (the flags of planning/notes/vocabulary.py), and the words, `|` between them:
one text is loaded in no time, however long, and taken apart when it is first needed.
"""

from __future__ import annotations

HEADINGS = (
    (
        "open",
        1,
        "a continuacion|a seguir|a suivre|a venir|aberto|abertos|abierto|abiertos|afazeres|amanha|angefangen|"
        "aperti|aperto|arretrati|aufgaben fuer morgen|aufgaben fur morgen|backlog|carry forward|carry over|co"
        "mmitments|compromisos|compromissos|demain|domani|em andamento|em curso|em progresso|en cours|en curs"
        "o|en proceso|en progreso|en suspens|erinnerungen|es fehlt noch|falta|follow up|followup|for tomorrow"
        "|fuer morgen|fur morgen|impegni|in arbeit|in bearbeitung|in corso|in flight|in lavorazione|in progre"
        "ss|inacabado|inacheve|irrisolti|irrisolto|la suite|laufende arbeiten|lembretes|manca|merken fuer mor"
        "gen|merken fur morgen|nachfassen|nachstes|nachzufassen|naechstes|nao esquecer|nao resolvido|ne pas o"
        "ublier|needs doing|neue zusagen|next|nicht vergessen|no olvidar|non dimenticare|non finito|non resol"
        "u|non resolus|offen|offener punkt|offenes|open|open ends|outstanding|ouvert|ouverts|pas encore fait|"
        "pendencia|pendente|pendentes|pendiente|pending|plan for tomorrow|plan fuer morgen|plan fur morgen|pl"
        "an pour demain|por terminar|pour la suite|promemoria|quehaceres|rappels|recordatorios|remaining|remi"
        "nders|seguimiento|siguiente|so geht es weiter|steht noch aus|things to remember tomorrow|to do tomor"
        "row|todos|tomorrow|tomorrow's plan|unerledigt|unerledigtes|unfinished|unfinished business|was fehlt|"
        "was noch fehlt|was noch offen ist|was offen ist|wie es weitergeht|wie geht es weiter|wip|zusagen|в п"
        "роцессе|в работе|далее|дальше|доделать|завтра|к исполнению|напоминания|не закончено|не сделано|невып"
        "олненное|незавершенное|обещания|обязательства|осталось|открыто|предстоит|сделать|хвосты|الالتزامات|ا"
        "لتالي|التزامات|المتبقي|المطلوب|تذكير|تذكيرات|غدا|قيد العمل|لاحقا|للتنفيذ|لم يكتمل|ما التالي|متابعه|م"
        "طلوب|مفتوح|مفتوحه|अगला|अधूरा|अधूरे|आगे|करने का काम|खुला|चल रहा है|जारी|प्रगति में|बाकी|बाकी है|लंबित"
        "|लम्बित|वादे|शेष|タスクリスト|フォローアップ|リマインド|今後|作業中|后续|宿題|引き継ぎ|待办|待处理|"
        "待完成|待處理|待解决|待解決|待跟进|待跟進|待辦|後續|承諾|承诺|接下來|接下来|提醒事項|提醒事项|明天|"
        "明日|未処理|未完成|未着手|未解決|検討中|次|次の一手|次回|残件|約束|課題|进行中|進行中|검토 중|내일|"
        "다음|미완료|미처리|미해결|백로그|이월|진행 중|진행중",
    ),
    (
        "open",
        3,
        "a faire|a fazer|a finir|a ne pas oublier|a terminer|a traiter|action items|action needed|action requ"
        "ired|actions a mener|actions needed|actions required|als nachstes|als naechstes|ancora da fare|assun"
        "tos pendentes|asuntos pendientes|attivita aperte|attivita da fare|attivita in sospeso|ausstehend|aus"
        "stehende aufgaben|carried forward|carried over|ce qui reste a faire|choses a faire|coisas a fazer|co"
        "isas por fazer|cosa manca|cosas pendientes|cosas por hacer|cose da fare|da completare|da fare|da fin"
        "ire|da non dimenticare|da sistemare|decisiones pendientes|decisioni da prendere|decisions a prendre|"
        "decisions needed|decisions pending|decisoes pendentes|die nachsten schritte|die naechsten schritte|e"
        "m aberto|etape suivante|etapes suivantes|falta fazer|falta por hacer|follow up items|follow ups|foll"
        "owups|in sospeso|itens pendentes|left to do|lista de tareas|lista de tarefas|lista delle cose da far"
        "e|lo que falta|lo que queda|nachste aufgaben|nachste schritte|nachste sitzung|nachster schritt|naech"
        "ste aufgaben|naechste schritte|naechste sitzung|naechster schritt|needs attention|new commitments|ne"
        "xt action|next actions|next moves|next priorities|next session|next step|next steps|next tasks|next "
        "up|noch offen|noch zu erledigen|noch zu klaeren|noch zu klaren|noch zu tun|nouveaux engagements|novo"
        "s compromissos|nuevos compromisos|nuovi impegni|o que falta|o que falta fazer|offene aufgaben|offene"
        " punkte|offene themen|offene to dos|offene todos|open actions|open commitments|open issues|open item"
        "s|open loops|open points|open tasks|open threads|open todos|open work|outstanding items|outstanding "
        "tasks|outstanding work|para amanha|para fazer|para manana|passi successivi|passo successivo|pendenci"
        "as|pendientes|pending actions|pending decisions|pending items|pending tasks|pending work|per domani|"
        "piano per domani|plan para manana|plano para amanha|points en suspens|points ouverts|pontos em abert"
        "o|pontos pendentes|por fazer|por hacer|por resolver|pour demain|prochaine etape|prochaine seance|pro"
        "chaine session|prochaines actions|prochaines etapes|prossima sessione|prossime azioni|prossimi passi"
        "|prossimo passo|proxima sesion|proxima sessao|proximas acciones|proximas acoes|proximas etapas|proxi"
        "mo paso|proximo passo|proximos pasos|proximos passos|punti aperti|punti in sospeso|puntos abiertos|p"
        "untos pendientes|que falta|queda por hacer|quello che manca|questioni aperte|remaining items|remaini"
        "ng tasks|remaining work|resta da fare|reste a faire|rimane da fare|siguiente paso|siguientes pasos|s"
        "in resolver|sin terminar|still open|still pending|still to do|sujets ouverts|taches a faire|taches e"
        "n cours|taches ouvertes|taches restantes|tareas pendientes|tarefas pendentes|temas abiertos|temas pe"
        "ndientes|to be done|to do|to dos|todo list|todoリスト|unfinished work|unresolved|up next|weiter offe"
        "n|weiteres vorgehen|weiterhin offen|what remains|what's left|what's next|work in progress|zu erledig"
        "en|zu klaeren|zu klaren|zu tun|дальнейшие шаги|задачи на завтра|на завтра|надо сделать|не забыть|нез"
        "авершенные задачи|нерешенные задачи|нужно сделать|осталось сделать|открытые задачи|открытые пункты|о"
        "тложенные задачи|план на завтра|следующая сессия|следующие действия|следующие шаги|следующий шаг|спи"
        "сок дел|текущие задачи|что дальше|что нужно сделать|что осталось|что сделать|اجراءات مطلوبه|الجلسه ا"
        "لتاليه|الجلسه القادمه|الخطوات التاليه|الخطوات القادمه|الخطوه التاليه|الخطوه القادمه|المهام المتبقيه|"
        "المهام المفتوحه|خطه الغد|غير مكتمل|غير منجز|قائمه المهام|قيد الانجاز|قيد التنفيذ|لا تنس|للمتابعه|لم "
        "ينجز بعد|ما بقي|ما تبقي|ما يجب عمله|ما يجب فعله|مهام الغد|مهام للغد|مهام متبقيه|مهام مفتوحه|يحتاج مت"
        "ابعه|अगला कदम|अगला काम|अगला सत्र|अगले कदम|अगले काम|अगले सत्र|अधूरा काम|अधूरे काम|आगे का काम|आगे की य"
        "ोजना|आगे के कदम|आगे क्या|करना है|करने के काम|करने हैं|कल करना है|कल का काम|कल की योजना|कल के लिए|काम"
        " की सूची|कार्य सूची|क्या करना है|खुले काम|खुले मुद्दे|चालू काम|जारी काम|टू डू|टूडू|न भूलें|बचा काम|ब"
        "चा हुआ काम|बचे काम|बचे हुए काम|बाकी काम|भूलना नहीं|याद दिलाना|लंबित काम|लंबित कार्य|लम्बित कार्य|शेष"
        " कार्य|やり残し|やること|アクションアイテム|ネクストアクション|下一步|下次会话|下次繼續|下次继续|今"
        "後の予定|今後の対応|今後の課題|剩余工作|剩餘工作|后续工作|后续步骤|后续计划|尚未完成|引き継ぎ事項|引"
        "継ぎ事項|待办事项|待办任务|待办清单|待处理事项|待處理事項|待辦事項|待辦清單|後續工作|後續步驟|後續計"
        "劃|持ち越し|接下來要做|接下来要做|明天要做|明天计划|明日の|明日の予定|明日やること|明日計劃|明日计划"
        "|未完了の|未完了タスク|未完成事項|未完成事项|未完成任务|未完成的|未対応の|未解決の課題|次にすること|"
        "次にやること|次のアクション|次のステップ|次回に向けて|次回の|次回やること|残タスク|残作業|残課題|積"
        "み残し|約束したこと|行动项|行動項目|要做的事|要対応|要検討|課題一覧|跟进事项|还没做的|遗留事项|遗留"
        "问题|遺留問題|還沒做的|需要做的事|남은 일|남은 작업|남은 할 일|내일 계획|내일 할 일|다음 단계|다음 "
        "세션|다음 작업|다음 할 일|다음에 할 일|미결 사항|미결사항|미완료 작업|미완료 항목|미해결 과제|미해결"
        " 사항|앞으로 할 일|앞으로의 계획|액션 아이템|이어서 할 일|잊지 말 것|진행 중인 일|진행 중인 작업|챙"
        "길 것|처리할 일|할 일|할 일 목록|할일|해야 할 일|해야할 일|향후 계획|향후 작업|후속 작업|후속 조치",
    ),
    (
        "open",
        5,
        "todo",
    ),
    (
        "open",
        9,
        "対応中|未完了|未対応",
    ),
    (
        "waiting",
        1,
        "adiado|aplazado|atascado|attese|auf eis|blocage|bloccata|bloccati|bloccato|blocchi|blocco|blockaden|"
        "blocked|blocker|blockiert|bloquant|bloquants|bloque|bloqueada|bloqueado|bloqueados|bloquee|bloqueio|"
        "bloqueo|bloques|detenido|em espera|em pausa|en pausa|en pause|fermo|haengt fest|hangt fest|hindernis"
        "se|in pausa|in wartestellung|obstacles|obstaculos|on hold|ostacoli|parado|pausado|reporte|rimandato|"
        "rinviato|sospeso|steht still|stuck|suspendu|travado|waiting|waiting room|warten|wartend|wartet|zuruc"
        "kgestellt|zurueckgestellt|блокер|блокирует|заблокировано|застряло|на паузе|на согласовании|ожидает|о"
        "жидание|отложено|препятствия|приостановлено|المؤجل|مؤجل|مؤجله|متوقف|متوقفه|معلق|معلقه|अटका|इंतजार|प्"
        "रतीक्षा|बाधा|रुका|रुकावट|स्थगित|होल्ड पर|ブロック|停止中|卡住|卡住了|卡点|受阻|已阻塞|待機中|搁置|擱"
        "置|暂缓|暫緩|等待中|足止め|阻塞|阻碍|阻礙|障碍|걸림돌|막힘|보류중|장애물",
    ),
    (
        "waiting",
        3,
        "a espera|a la espera|aguarda|aguardando|ancora in attesa|aspettando|awaiting|blocages|bloccato da|bl"
        "ocked by|blocked items|blocked on|blockers|blockiert durch|blockiert von|bloque par|bloqueado por|bl"
        "oqueios|bloqueos|current blockers|en attente|en espera|esperando|haengt an|hangt an|impedimenti|impe"
        "dimentos|in attesa|j'attends|on attend|pendiente de|pending approval|pending reply|pending response|"
        "pending review|points bloquants|stuck on|toujours en attente|waiting for|waiting on|warten auf|warte"
        "t auf|wir warten auf|блокеры|в ожидании|ждем|жду|заблокировано из за|ожидаем|ожидает ответа|العقبات|"
        "العوائق|المعوقات|امور معلقه|بانتظار|عقبات|عوائق|في الانتظار|في انتظار|قيد الانتظار|متوقف علي|معوقات|"
        "ننتظر|अटका हुआ|अटके काम|अटके हुए काम|इंतजार में|जवाब का इंतजार|प्रतीक्षा में|बाधाएं|मंजूरी का इंतजार"
        "|रुका हुआ|रुकावटें|रुके काम|रुके हुए काम|ブロッカー|ブロック中|レビュー待ち|保留事項|回答待ち|対応待"
        "ち|待回复|待回覆|待审批|待审核|待審核|待批准|承認待ち|確認待ち|等待|返事待ち|返信待ち|連絡待ち|阻塞"
        "問題|阻塞项|기다리는 것|기다리는 중|답변 대기|대기 중|막힌 것|막힌 부분|막힌 일|보류 사항|보류 중|블"
        "로커|승인 대기|응답 대기|확인 대기|회신 대기",
    ),
    (
        "waiting",
        9,
        "保留|待ち|대기|보류",
    ),
    (
        "waiting",
        11,
        "保留中|대기중",
    ),
    (
        "done",
        1,
        "accompli|accomplissements|acheve|achievements|ausgeliefert|beantwortet|clos|cloture|completadas|comp"
        "letados|completati|concluidas|concluidos|conclusi|concluso|conquistas|consegnato|consertado|corretto"
        "|corriges|done this session|done this week|entregado|entregue|erledigtes|feitos|fertiggestellt|gekla"
        "ert|geklart|geloest|gelost|gemacht|geschafft|getan|logrado|realisations|realise|realizado|realizzato"
        "|resolus|resolvidos|resueltos|risolti|svolto|terminados|termines|traguardi|umgesetzt|veroeffentlicht"
        "|veroffentlicht|was gemacht wurde|was ich gemacht habe|выпущено|доставлено|достигнуто|достижения|зак"
        "ончено|починено|المنجز|انتهت|انتهي|انجز|انجزت|انجزنا|جاهز|محلول|محلوله|مغلق|مغلقه|مكتمل|مكتمله|منجز|"
        "منجزات|منجزه|उपलब्धि|काम पूरा|किया|क्या हुआ पूरा|खत्म|निपटा|पूरा|पूरा काम|पूरे|बंद|सुलझ गया|सुलझा|हल"
        "|हो गया|हो चुका|クローズ|今天做了什么|做完了|完成|完成了|対応完了|成果|搞定了|終わった|끝|달성|마무"
        "리|마침|성과|종료|처리됨|해결",
    ),
    (
        "done",
        3,
        "abgeschlossene aufgaben|accomplished|accomplishments|answered questions|attivita completate|attivita"
        " svolte|behobene fehler|bugs corriges|bugs fixed|ce qu'on a fait|ce que j'ai fait|ce qui a ete fait|"
        "ce qui est fait|closed issues|closed items|completed items|completed tasks|completed today|completed"
        " work|cosa abbiamo fatto|cosa e stato fatto|cosa ho fatto|cose fatte|done today|erledigte aufgaben|e"
        "rledigte punkte|errores corregidos|errori corretti|errors fixed|erros corrigidos|fait aujourd'hui|fa"
        "tto oggi|fehler behoben|feito hoje|finished today|fixed issues|fixed today|geloeste probleme|geloste"
        " probleme|hecho hoy|heute erledigt|heute gemacht|heute geschafft|issues fixed|issues identified and "
        "fixed|issues resolved|key accomplishments|lavoro svolto|lo hecho|lo que hice|lo que hicimos|lo que s"
        "e hizo|logros|o que fiz|o que fizemos|o que foi feito|problem geloest|problem gelost|problemas resol"
        "vidos|problemas resueltos|probleme geloest|probleme gelost|problemes resolus|problemi risolti|proble"
        "ms fixed|problems identified and fixed|problems solved|que se hizo|quello che e stato fatto|question"
        "s answered|resolved issues|shipped today|taches accomplies|taches terminees|tareas completadas|tarea"
        "s terminadas|tarefas concluidas|tasks completed|trabajo realizado|trabalho realizado|travail accompl"
        "i|travail effectue|what got done|what i did|what was done|what we did|work completed|work done|выпол"
        "ненные задачи|завершенные задачи|исправленные ошибки|решенные задачи|решенные проблемы|сделано сегод"
        "ня|сегодня сделано|что было сделано|что сделал|что сделали|что сделано|الانجازات|المشاكل المحلوله|ال"
        "مهام المكتمله|المهام المنجزه|انجازات|انجازات اليوم|تم|ما انجز|ما انجزته|ما انجزناه|ما تم انجازه|مشاك"
        "ل تم حلها|مهام مكتمله|مهام منجزه|आज का किया काम|आज किया|आज क्या किया|उपलब्धियां|किए गए काम|किया गया|"
        "क्या किया|ठीक किया|ठीक हो गया|निपटाए काम|पूरा हुआ|पूरे किए काम|पूरे हुए काम|पूर्ण कार्य|हल की गई समस"
        "्याएं|हल हुआ|हल हुई समस्याएं|やったこと|リリース済み|今天完成|今日の成果|今日やったこと|今日完成|今"
        "日成果|修正済み|做完的事|完了したこと|完了したタスク|完了タスク|完了事項|完了済み|完成事項|完成事项|"
        "完成的事|完成的工作|実施したこと|実施内容|対応したこと|已上線|已上线|已发布|已發布|已關閉|本日やった"
        "こと|終わったこと|解决的问题|解決した問題|解決的問題|達成したこと|끝난 일|끝낸 일|배포 완료|수정 완"
        "료|오늘 완료|오늘 한 일|오늘의 성과|완료 사항|완료 항목|완료된 일|완료된 작업|완료한 일|완료한 작업|"
        "처리 완료|한 일|해결된 문제|해결한 문제",
    ),
    (
        "done",
        9,
        "पूर्ण|संपन्न|समाप्त|完了|搞定|済|済み|완료|완료됨|해결됨",
    ),
    (
        "done",
        11,
        "対応済み|已修复|已修復|已关闭|已完成|已解决|已解決|解決済み",
    ),
    (
        "done",
        16,
        "complete|merged",
    ),
    (
        "done",
        17,
        "arreglado|cerrado|chiuso|corregido|corrigido|encerrado|fechado|fini|finito|listo|sistemato|soluciona"
        "do|solved|закрыто",
    ),
    (
        "done",
        21,
        "abgeschlossen|behoben|closed|completado|completato|completed|concluido|corrige|done|erledigt|fait|fa"
        "tto|feito|fertig|finalizado|finished|fixed|hecho|resolu|resolved|resolvido|resuelto|risolto|shipped|"
        "terminado|termine|выполнено|готово|завершено|исправлено|сделано",
    ),
    (
        "dropped",
        1,
        "abandonado|abandonnes|abgebrochen|abgelehnt|abgesagt|annules|annullati|aufgegeben|caduc|cancelados|d"
        "eclined|descartados|ecarte|ecartes|entfaellt|gestrichen|hinfaellig|hinfallig|laisse tomber|lasciato "
        "perdere|machen wir nicht|nao e mais preciso|nao vamos fazer|nicht mehr noetig|nicht mehr notig|no lo"
        "nger needed|no se hara|non piu necessario|non serve piu|not doing|obsoleto|out of scope|plus necessa"
        "ire|rechazado|rechazados|recusado|rejected|rejeitado|rejeitados|rejete|rejetes|respinto|rifiutato|sc"
        "artati|scartato|suspendido|suspenso|uberholt|ueberholt|won't do|ya no hace falta|заброшено|не нужно|"
        "отброшено|отвергнуто|отказались|снято с повестки|الغي|تراجعنا عنه|تم الالغاء|متروك|مرفوض|مرفوضه|مستب"
        "عد|مستبعده|ملغاه|ملغي|अस्वीकृत|खारिज|छोडा|त्याग दिया|निरस्त|रद्द काम|やめた|ボツ|不做了|作废|作廢|取"
        "りやめ|取消|否决|否決|废弃|廢棄|放弃|放棄|断念|没|破棄|기각|더 이상 필요 없음|반려|안 하기로 함|제외"
        "|철회|폐기|폐기됨|포기",
    ),
    (
        "dropped",
        3,
        "decided against|ideas descartadas|idee scartate|idees ecartees|ideias descartadas|opciones descartad"
        "as|opcoes descartadas|options ecartees|opzioni scartate|pistes ecartees|rejected ideas|rejected opti"
        "ons|ruled out|verworfene ideen|больше не нужно|не будем делать|отвергнутые варианты|отвергнутые идеи"
        "|отказались от|افكار مرفوضه|تم التخلي عن|تم الغاء|خيارات مستبعده|لم يعد ضروريا|لم يعد مطلوبا|अब जरूर"
        "त नहीं|अब जरूरी नहीं|छोड दिया|छोडे गए विचार|जरूरत नहीं|नहीं करेंगे|रद्द किए|रद्द किया|やめたこと|ボ"
        "ツ案|不再需要|不採用|不要になった|中止した|却下した|却下案|已弃用|已棄用|被否决|被否決|見送った|안 "
        "하기로 한 것|제외된 것|포기한 것|하지 않기로 한 것",
    ),
    (
        "dropped",
        9,
        "रद्द|キャンセル|中止|却下|廃止|見送り|중단|취소|취소됨",
    ),
    (
        "dropped",
        11,
        "已作废|已取消|已放弃|已放棄",
    ),
    (
        "dropped",
        17,
        "abandoned|abbandonato|anulado|descartado|entfallt|obsolete|superseded|неактуально|отклонено",
    ),
    (
        "dropped",
        21,
        "abandonne|annule|annullato|cancelado|canceled|cancelled|dropped|verworfen|отменено",
    ),
    (
        "decisions",
        1,
        "abgemacht|accordo|accords|acordado|acordo|acuerdo|agreed|agreements|arbitrages|ausgemacht|beschlosse"
        "n|beschluss|combinado|combinados|concordato|convenu|decided|decided today|decidido|decisao|decision|"
        "decision log|decision made|decision record|decisione|decisions log|deciso|delibere|entscheidung|ents"
        "cheidungsprotokoll|entschieden|entschluesse|entschluss|entschlusse|festgelegt|releve de decisions|re"
        "soluciones|stabilito|vereinbart|vereinbarung|was wir beschlossen haben|was wir entschieden haben|дог"
        "оворенность|договорились|журнал решений|постановили|приняли решение|принято решение|решения|решения "
        "дня|решили|согласовано|اتفاق|اتفاقات|الاتفاقات|القرار|تقرر|سجل القرارات|قرار|قررنا|तय|तय बातें|निर्ण"
        "य|फैसला|फैसले|समझौते|सहमति|共識|共识|决定|决策|决议|判断|合意|方針決定|決定|決断|決策|決議|約定|結論"
        "|约定|达成共识|達成共識|결론|결정|합의|확정",
    ),
    (
        "decisions",
        3,
        "abbiamo deciso|abmachungen|accordi|acordos|acuerdos|architecture decisions|beschluesse|beschlusse|ce"
        " qu'on a decide|ce que nous avons decide|ce qui a ete decide|ce qui est convenu|choices made|choix f"
        "aits|choix retenus|cosa abbiamo deciso|decisiones|decisiones clave|decisiones importantes|decisiones"
        " tomadas|decisioni|decisioni chiave|decisioni importanti|decisioni prese|decisions|decisions cles|de"
        "cisions importantes|decisions prises|decisoes|decisoes importantes|decisoes tomadas|design decisions"
        "|entscheidungen|festlegungen|ficou decidido|getroffene entscheidungen|hemos decidido|heute beschloss"
        "en|heute entschieden|important decisions|key decision|key decisions|lo acordado|lo decidido|lo que a"
        "cordamos|lo que decidimos|o que combinamos|o que decidimos|o que ficou decidido|o que foi decidido|o"
        "n a decide|principais decisoes|principales decisions|product decisions|que decidimos|quello che abbi"
        "amo deciso|recent decisions|scelte fatte|technical decisions|vereinbarungen|we decided|what was deci"
        "ded|what we agreed|what we decided|wichtige entscheidungen|важные решения|договоренности|ключевые ре"
        "шения|о чем договорились|основные решения|принятые решения|что решили|اتفقنا علي|القرارات|اهم القرار"
        "ات|تم الاتفاق علي|قرارات|قرارات مهمه|ما اتفقنا عليه|ما تقرر|ما تم الاتفاق عليه|ما قررته|ما قررناه|अह"
        "म फैसले|आज के निर्णय|आज के फैसले|क्या तय किया|क्या तय हुआ|तय किया|तय हुआ|बडे फैसले|महत्वपूर्ण निर्णय"
        "|मुख्य निर्णय|लिए गए निर्णय|लिए गए फैसले|सहमति बनी|हमने तय किया|主な決定|主な決定事項|今日决定|今日"
        "決定|做出的决定|做出的決定|关键决定|关键决策|决定事项|决策记录|合意したこと|合意事項|商定事项|已决定"
        "|已決定|意思決定|決まったこと|決めたこと|決定事項|決策記錄|設計判断|重要な決定|重要决定|重要決定|關"
        "鍵決定|關鍵決策|결정 사항|결정된 것|결정된 사항|결정사항|결정한 것|설계 결정|오늘의 결정|의사 결정|"
        "의사결정|정한 것|정해진 것|주요 결정|중요 결정|중요한 결정|합의 사항|합의된 것|합의사항|확정 사항",
    ),
    (
        "rules",
        1,
        "a ne jamais faire|always|always and never|always do|arbeitsregeln|as regras|boundaries|ce que je ne "
        "fais jamais|consignes|cosa non faccio mai|da non fare mai|die regeln|directives|directrices|diretriz"
        "es|direttive|divieti|do not|do's and don'ts|don'ts|dos and don'ts|gebote|gebote und verbote|golden r"
        "ule|goldene regel|goldene regeln|grenzen|grundregeln|grundsaetze|grundsatze|guardrails|guidelines|ha"
        "rd boundaries|hard limits|hard rule|hausregeln|i miei limiti|immer|interdictions|interdit|interdits|"
        "jamais|jamas|las reglas|le mie regole|le nostre regole|le regole|leitlinien|les regles|lignes rouges"
        "|limites|limiti|lineas rojas|linee guida|linee rosse|linhas vermelhas|lo que nunca hago|mai e poi ma"
        "i|meine grenzen|meine regeln|mes limites|mes regles|meus limites|minhas regras|mis limites|mis regla"
        "s|must always|must never|my boundaries|my rules|nao negociavel|neue regel|neue regeln|never|never do"
        "|never do this|new rule|nicht verhandelbar|nie|niemals|no negociable|non negociable|non negotiable|n"
        "on negoziabile|normas|normas de la casa|nos regles|nossas regras|nuestras reglas|nunca|o que nunca f"
        "aco|obligations|operator rule|our rules|policies|politicas|principes|principi|principios|prohibicion"
        "es|prohibido|proibicoes|proibido|que no hacer nunca|red lines|regel|regeln|regla|regla de oro|reglas"
        "|reglas de la casa|reglas de oro|regle|regle d'or|regles|regles d'or|regles de la maison|regola|rego"
        "la d'oro|regole|regole d'oro|regole della casa|regra|regra de ouro|regras|regras da casa|regras de o"
        "uro|richtlinien|rote linien|rule|rules|rules for myself|rules of engagement|rules to follow|sempre|s"
        "icherheitsregeln|siempre|spielregeln|tabu|tabus|the rules|toujours|unsere regeln|verbote|verboten|vi"
        "etato|vorgaben|vorschriften|was ich nie tue|what i never do|working agreements|всегда|главное правил"
        "о|границы|запреты|запрещено|золотое правило|золотые правила|красные линии|мои границы|мои правила|на"
        "ши правила|нельзя|никогда|обязательно|ограничения|правила|правила безопасности|правила дома|правила "
        "работы|правило|принципы|регламент|табу|чего не делать никогда|чего я никогда не делаю|ابدا|ارشادات|ا"
        "لتعليمات|الحدود|الخطوط الحمراء|الضوابط|القاعده الذهبيه|القواعد|المبادئ|المحظورات|الممنوعات|تعليمات|ح"
        "دود|حدودي|خطوط حمراء|دائما|ضوابط|قاعده|قاعده ذهبيه|قواعد|قواعدنا|قواعدي|ما لا افعله ابدا|مبادئ|محظور"
        "|محظورات|ممنوع|ممنوعات|कभी नहीं|घर के नियम|दिशा निर्देश|दिशानिर्देश|नियम|निर्देश|निषेध|नीतियां|प्रति"
        "बंध|मनाही|मूल नियम|मेरी सीमाएं|मेरे नियम|लक्ष्मण रेखा|वर्जित|सिद्धांत|सीमाएं|सुनहरा नियम|सुनहरे नियम"
        "|हमारे नियम|हमेशा|ガイドライン|マイルール|ルール|准则|务必|務必|原则|原則|厳守|境界線|守则|守則|常に"
        "|底線|底线|必ず|必須|必須事項|必须|我的規則|我的规则|方針|永远|永远不要|永遠|永遠不要|決まり|準則|禁"
        "忌|禁止|紅線|絕不|絶対|红线|纪律|绝不|規則|規定|規矩|规则|规定|规矩|边界|邊界|鉄則|鐵律|铁律|가이드"
        "라인|경계|규칙|규칙들|금기|금지|나의 규칙|내 규칙|반드시|방침|수칙|우리 규칙|원칙|절대|지침|철칙|한"
        "계|항상",
    ),
    (
        "rules",
        3,
        "core rules|critical rules|feste regeln|golden rules|ground rules|hard rules|house rules|important ru"
        "les|new operating instructions|new rules|non negotiables|nouvelles regles|novas regras|nuevas reglas"
        "|nuove regole|operating instructions|operating rules|operator rules|regeln fuer|regeln fur|reglas ba"
        "sicas|reglas de seguridad|reglas de trabajo|reglas fijas|reglas importantes|reglas nuevas|regles de "
        "base|regles de securite|regles de travail|regles fixes|regles importantes|regole di base|regole di l"
        "avoro|regole di sicurezza|regole fisse|regole importanti|regras basicas|regras de seguranca|regras d"
        "e trabalho|regras fixas|regras importantes|safety rules|security rules|standing directives|standing "
        "instructions|standing orders|standing rules|wichtige regeln|working rules|важные правила|главные пра"
        "вила|жесткие правила|новые правила|основные правила|القواعد الاساسيه|قواعد اساسيه|قواعد السلامه|قواع"
        "د العمل|قواعد ثابته|قواعد جديده|قواعد مهمه|काम के नियम|क्या न करें|क्या नहीं करना|जरूरी नियम|नए नियम"
        "|पक्के नियम|बुनियादी नियम|मुख्य नियम|सुरक्षा के नियम|सुरक्षा नियम|してはいけないこと|やってはいけな"
        "いこと|やらないこと|ルール一覧|作業ルール|厳守事項|基本ルール|基本規則|基本规则|守ること|安全ルール|"
        "安全規則|安全规则|工作規則|工作规则|必須遵守|必须遵守|決まりごと|硬性规定|禁止事項|禁止事项|約束事|"
        "絶対に守ること|行为准则|越えてはいけない線|運用ルール|重要なルール|重要ルール|重要規則|重要规则|금지"
        " 사항|금지사항|기본 규칙|기본 원칙|꼭 지킬 것|넘지 말아야 할 선|안전 규칙|안전 수칙|운영 규칙|작업 "
        "규칙|절대 금지|절대 하지 말 것|주의 사항|주의사항|준수 사항|중요 규칙|중요한 규칙|지켜야 할 것|하지 "
        "말 것|하지 말아야 할 것",
    ),
    (
        "lessons",
        1,
        "apprendimenti|appris|aprendido|aprendizado|aprendizagem|aprendizaje|armadilhas|beim nachsten mal|bei"
        "m naechsten mal|conclusiones|conclusioni|conclusions|conclusoes|einsichten|ensinamentos|erfahrungen|"
        "erkenntnis|errores que no repetir|fazit|fuers naechste mal|furs nachste mal|gelernt|gelerntes|impara"
        "to|insegnamenti|insight|insights|key insight|la prochaine fois|la prossima volta|learned|learned tod"
        "ay|leccion|leccion aprendida|lecciones|lecon|lecons|lehre|lektion|lesson|lessons|lezione|lezione imp"
        "arata|lezioni|licao|licao aprendida|licoes|merke|merksaetze|merksatze|mistakes|mistakes made|mistake"
        "s to avoid|morale|moraleja|note to self|notes to self|para a proxima|para la proxima|pieges|pitfalls"
        "|stolperfallen|stolpersteine|takeaway|takeaways|til|today i learned|trappole|was gelernt wurde|was i"
        "ch gelernt habe|was wir gelernt haben|вывод|грабли|инсайты|на будущее|опыт|работа над ошибками|ретро"
        "спектива|урок|уроки|уроки на будущее|усвоено|استنتاجات|الاستنتاجات|الخلاصه|الدرس المستفاد|الدروس|الع"
        "بر|خلاصات|درس|درس مستفاد|دروس|عبر|عبره|للمره القادمه|अनुभव|निष्कर्ष|सबक|सीख|सीखा|ふりかえり|ノウハウ"
        "|反思|反省|启示|啟示|复盘|学び|学到了什么|心得|振り返り|收穫|收获|教訓|教训|気づき|気付き|知見|經驗|"
        "经验|落とし穴|覆盤|踩坑|避坑|교훈|깨달음|반성|시행착오|인사이트|함정|회고",
    ),
    (
        "lessons",
        3,
        "a retenir|apprentissages|appris aujourd'hui|aprendizados|aprendizagens|aprendizajes|ce qu'on a appri"
        "s|ce que j'ai appris|ce que nous avons appris|cosa abbiamo imparato|cosa ho imparato|da ricordare|en"
        "seignements|ensenanzas|erkenntnisse|erreurs a eviter|errori da evitare|erros a evitar|fallstricke|go"
        "tchas|heute gelernt|hoje aprendi|hoy aprendi|key insights|key learnings|key lessons|key takeaways|le"
        "arnings|lecciones aprendidas|lecons apprises|lecons tirees|lehren|lektionen|lesson learned|lessons f"
        "or next|lessons from|lessons learned|lezioni apprese|lezioni imparate|licoes aprendidas|lo aprendido"
        "|lo que aprendi|lo que aprendimos|neue erkenntnisse|o que aprendemos|o que aprendi|oggi ho imparato|"
        "per la prossima volta|pieges a eviter|pour la prochaine fois|que aprendi|que aprendimos|retour d'exp"
        "erience|retours d'experience|things i learned|things learned|what i learned|what we learned|wichtige"
        " erkenntnisse|выводы|извлеченные уроки|подводные камни|чему научились|чему научился|чему я научилась"
        "|чему я научился|что поняли|что узнал|что узнали|что я понял|اخطاء يجب تجنبها|الدروس المستفاده|تعلمت"
        " اليوم|تعلمنا اليوم|دروس مستفاده|ما تعلمته|ما تعلمناه|अगली बार के लिए|आज का सबक|आज की सीख|आज क्या सी"
        "खा|आज सीखा|क्या सीखा|गलतियों से सीख|जो सीखा|ध्यान रखने की बातें|मैंने क्या सीखा|सीखे गए सबक|हमने क्य"
        "ा सीखा|はまりどころ|わかったこと|ハマったこと|ハマりどころ|下次注意|今天学到|今天學到|今日の学び|今"
        "日收穫|今日收获|分かったこと|反省点|学びと|学んだこと|学到的|學到的|得られた知見|教訓と|本日の学び|"
        "次に活かすこと|気づいたこと|注意点|經驗教訓|经验教训|踩坑記錄|踩坑记录|踩过的坑|踩過的坑|깨달은 것|"
        "깨달은 점|느낀 점|다음을 위한 메모|반성할 점|배운 것|배운 점|시사점|알게 된 것|알게 된 점|얻은 교훈|"
        "오늘 배운 것|오늘 배운 점|주의할 점|회고 및",
    ),
    (
        "preferences",
        1,
        "abitudini|abneigungen|aime|arbeitsweise|bevorzugt|communication style|costumbres|costumes|dislikes|d"
        "o que gosta|do que nao gosta|estilo de comunicacao|estilo de comunicacion|facon de travailler|favori"
        "s|favorites|favoritos|favourites|forma de trabajar|forma de trabalhar|geschmack|gewohnheiten|gli pia"
        "ce|gosta|gosta de|gostos|gostos e preferencias|gouts|gouts et preferences|gusti|gusti e preferenze|g"
        "ustos|gustos y preferencias|habitos|habits|habitudes|how i like to work|how they like to work|jeito "
        "de trabalhar|kommunikationsstil|le gusta|le piace|lieblingssachen|likes|likes & dislikes|likes and d"
        "islikes|mag nicht|manias|modo di lavorare|n'aime pas|nao gosta|nao gosta de|no le gusta|non gli piac"
        "e|non le piace|pet peeves|praeferenz|praferenz|prefere|preference|preferencia|preferenza|preferisce|"
        "preferiti|prefers|prefiere|stile di comunicazione|style de communication|tastes|umgangston|vorliebe|"
        "vorlieben und abneigungen|was er mag|was sie mag|working style|wuensche|wunsche|вкусы|любит|манера о"
        "бщения|не любит|не нравится|нравится|пожелания|пожелания пользователя|предпочтение|привычки|стиль об"
        "щения|стиль работы|اسلوب التواصل|اسلوب العمل|التفضيلات|العادات|المفضلات|تفضيل|تفضيلات|رغبات|طريقه ال"
        "عمل المفضله|عادات|لا يحب|يحب|يفضل|आदत|आदतें|काम करने का तरीका|नापसंद|पसंद|पसंद और नापसंद|पसंद नापसंद"
        "|पसंदीदा|प्राथमिकताएं|बात करने का तरीका|बातचीत का तरीका|रुचि|रुचियां|वरीयता|वरीयताएं|こだわり|コミュ"
        "ニケーションスタイル|不喜欢|不喜歡|习惯|仕事の進め方|偏好|口味|口調|喜好|喜欢|喜欢和不喜欢|喜歡|好き"
        "|好き嫌い|好み|嫌い|希望|我的偏好|沟通方式|沟通风格|溝通方式|溝通風格|癖|習慣|要望|討厭|話し方|讨厌|"
        "대화 스타일|말투|선호|습관|작업 방식|작업 스타일|취향|호불호",
    ),
    (
        "preferences",
        3,
        "ce qu'elle aime|ce qu'elle n'aime pas|ce qu'il aime|ce qu'il n'aime pas|communication preferences|co"
        "sa gli piace|cosa le piace|known preferences|lo que le gusta|lo que no le gusta|my preferences|praef"
        "erenzen|praferenzen|preferences|preferencias|preferenze|user preferences|vorlieben|предпочтения|что "
        "не нравится|что нравится|تفضيلات المستخدم|ما لا يحب|ما لا يحبه|ما يحب|ما يحبه|पसंदीदा चीजें|ユーザー"
        "の好み|个人偏好|使用者偏好|個人偏好|好きなこと|好きなもの|好みと|嫌いなもの|工作习惯|工作習慣|用户偏"
        "好|苦手なもの|要望事項|사용자 선호|선호 사항|선호사항|소통 방식|싫어하는 것|좋아하는 것|희망 사항",
    ),
    (
        "facts",
        1,
        "a saber|a savoir|a tener en cuenta|bom saber|bon a savoir|bueno saberlo|buono a sapersi|chiffres cle"
        "s|da tenere presente|dados principais|daten und fakten|dati chiave|dati di fatto|datos de interes|do"
        "nnees cles|e bom saber|eckdaten|fact|factos|facts|faits|fakt|fakten|fatos|for the record|fyi|good to"
        " know|gut zu wissen|hechos|informacion util|informacoes uteis|informations utiles|informazioni utili"
        "|infos utiles|para constar|para que conste|per informazione|per la cronaca|pour info|pour informatio"
        "n|pour memoire|stammdaten|tatsachen|wissenswertes|zur info|zur kenntnis|для справки|к сведению|основ"
        "ные данные|справка|факт|факты|حقيقه|للعلم|معلومات مفيده|من الجيد معرفته|जानकारी|तथ्य|事实|事実|事實|"
        "前提|背景信息|豆知識|須知|须知|사실|전제|참고|팩트",
    ),
    (
        "facts",
        3,
        "da sapere|dados importantes|dati importanti|datos clave|datos importantes|factos importantes|facts a"
        "bout|facts learned|facts to remember|faits connus|faits etablis|faits importants|fakten uber|fakten "
        "ueber|fatos conhecidos|fatos importantes|fatti importanti|fatti noti|hechos clave|hechos importantes"
        "|important facts|key facts|known facts|wichtige fakten|важно знать|важные факты|известные факты|поле"
        "зно знать|проверенные факты|факты о|الحقائق|حقائق|حقائق مهمه|معلومات اساسيه|معلومات مؤكده|معلومات مه"
        "مه|जरूरी जानकारी|जरूरी तथ्य|जरूरी बातें|जानने योग्य|जानने लायक|ज्ञात तथ्य|महत्वपूर्ण जानकारी|मुख्य ज"
        "ानकारी|मुख्य तथ्य|याद रखने की बातें|事実関係|关键事实|关键信息|判明した事実|前提条件|参考情報|基本信"
        "息|基本情報|基本資訊|已知事实|已知事實|已知信息|既知の事実|覚えておきたいこと|覚えておくこと|重要な"
        "情報|重要信息|重要情報|重要資訊|關鍵事實|關鍵資訊|기본 정보|기억할 것|기억해 둘 것|알려진 사실|알아"
        "둘 것|알아둘 점|전제 조건|주요 정보|중요 정보|중요한 사실|중요한 정보|참고 사항|참고사항|확인된 사실",
    ),
    (
        "questions",
        1,
        "a perguntar|domanda|domanda aperta|doutes|dubbio|duda|duvida|frage|incognitas|incognite|interrogatio"
        "ns|klaerungsbedarf|klarungsbedarf|noch fragen|noch unklar|non chiaro|offene frage|open question|pas "
        "clair|pergunta|pergunta em aberto|poco chiaro|por preguntar|pregunta|pregunta abierta|preguntas sin "
        "respuesta|question|question ouverte|ruckfrage|rueckfrage|sans reponse|sem resposta|senza risposta|si"
        "n aclarar|sin respuesta|to ask|unanswered|unbeantwortet|unclear|ungeklaert|ungeklart|unklar|unklarhe"
        "iten|unknowns|zu fragen|без ответа|вопрос|непонятно|неясно|открытый вопрос|под вопросом|спросить|است"
        "فسار|بلا جواب|سؤال|سؤال مفتوح|غير واضح|अस्पष्ट|जिज्ञासाएं|प्रश्न|शंका|शंकाएं|संदेह|सवाल|不明|未確認|"
        "疑問|疑问|論点|質問|불명확|의문|질문",
    ),
    (
        "questions",
        3,
        "a clarifier|a confirmar|a demander|a eclaircir|a esclarecer|da chiarire|da chiedere|da confermare|do"
        "mande|domande aperte|domande in sospeso|dubbi|dudas|dudas pendientes|duvidas|duvidas pendentes|frage"
        "n|fragen an|key questions|offene fragen|open questions|pending questions|perguntas|perguntas em aber"
        "to|perguntas pendentes|points a clarifier|por aclarar|por confirmar|por esclarecer|preguntas|pregunt"
        "as abiertas|preguntas pendientes|questions|questions en attente|questions en suspens|questions ouver"
        "tes|questions sans reponse|questoes em aberto|remaining questions|ruckfragen|rueckfragen|things to a"
        "sk|to clarify|unanswered questions|unbeantwortete fragen|ungeklaerte fragen|ungeklarte fragen|вопрос"
        "ы|вопросы без ответа|выяснить|надо уточнить|нерешенные вопросы|оставшиеся вопросы|открытые вопросы|у"
        "точнить|что спросить|что уточнить|اسئله|اسئله معلقه|اسئله مفتوحه|استفسارات|الاسئله|الاسئله المفتوحه|"
        "دون اجابه|للتاكد|للتوضيح|يحتاج الي توضيح|يحتاج توضيح|अनसुलझे प्रश्न|अनसुलझे सवाल|अनुत्तरित प्रश्न|खु"
        "ले प्रश्न|खुले सवाल|पता करना है|पूछना है|पूछने हैं|बाकी सवाल|स्पष्ट करना है|わからないこと|不明点|不"
        "清楚的地方|分からないこと|开放问题|待澄清|待确认|待確認|待解答|待討論|待讨论|悬而未决|想問的|想问的|"
        "懸而未決|未確認事項|未解决的问题|未解决问题|未解決の疑問|未解決の質問|未解決的問題|疑問点|確認したい"
        "こと|確認事項|聞きたいこと|聞くこと|要問的問題|要问的问题|質問リスト|質問事項|開放問題|需要确认|需要"
        "確認|궁금한 것|궁금한 점|남은 질문|물어볼 것|미해결 질문|미확인|불명확한 점|불분명한 점|열린 질문|의"
        "문점|질문 목록|질문 사항|질문사항|확인 필요|확인이 필요한 것|확인할 것",
    ),
    (
        "questions",
        11,
        "要確認",
    ),
    (
        "errors",
        1,
        "ausfall|avarias|averias|becos sem saida|bogue|bogues|broken|bug|callejones sin salida|ce qui a rate|"
        "echec|echoue|en panne|erreur|erro|error|errore|failure|falha|falhou|fallido|fallidos|falliti|fallito"
        "|fallo|gescheitert|guasto|impasses|incidencia|incident|incidente|issues|kaputt|nao funciona|nao func"
        "ionou|no funciona|no funciono|non funziona|non ha funzionato|outage|outages|panne|pannen|problem|pro"
        "blema|quebrado|roto|rotto|sackgassen|stoerung|storung|vicoli ciechi|vorfall|was nicht funktioniert h"
        "at|was nicht ging|was schief lief|was schiefgelaufen ist|was schiefging|авария|баг|баги|инцидент|инц"
        "иденты|не работает|неудача|неудачи|ошибка|ошибки|ошибки за день|поломка|поломки|проблема|проблемы|сб"
        "ои|сбой|сломано|тупики|اخطاء|اعطال|الاخطاء|الاعطال|المشاكل|المشكلات|حادث|حوادث|خطا|خلل|عطل|فشل|لا يع"
        "مل|مشاكل|مشكلات|مشكله|معطل|असफल|असफलता|एरर|खराब|खराबी|गडबडी|गलतियां|गलती|त्रुटि|त्रुटियां|दिक्कत|दिक"
        "्कतें|दुर्घटना|बग|विफल|विफलता|समस्या|समस्याएं|エラー|トラブル|バグ|不具合|事故|出了什么问题|出错|報"
        "錯|失敗|失败|崩溃|异常|报错|故障|異常|錯誤|错误|障害|고장|문제|버그|사고|실패|에러|오류|장애",
    ),
    (
        "errors",
        3,
        "ausfaelle|ausfalle|bekannte fehler|bekannte probleme|bugs|bugs connus|ce qui a echoue|ce qui n'a pas"
        " fonctionne|ce qui n'a pas marche|cosa e andato storto|cosa non ha funzionato|dead ends|echecs|erreu"
        "rs|erreurs connues|errores|errores conocidos|errori|errori noti|errors|erros|erros conhecidos|failed"
        " attempts|failures|falhas|fallos|fehler|fehlversuche|guasti|incidencias|incidentes|incidenti|inciden"
        "ts|intentos fallidos|issues found|known bugs|known issues|lo que fallo|lo que no funciono|lo que sal"
        "io mal|o que correu mal|o que deu errado|o que falhou|o que nao funcionou|pannes|post mortem|postmor"
        "tem|problemas|problemas conhecidos|problemas conocidos|problemas encontrados|probleme|problemes|prob"
        "lemes connus|problemes rencontres|problemi|problemi noti|problemi riscontrati|problems|que fallo|que"
        " salio mal|regressions|still broken|stoerungen|storungen|tentativas falhadas|tentativas falhas|tenta"
        "tivas fracassadas|tentatives echouees|tentatives ratees|tentativi falliti|vorfaelle|vorfalle|what di"
        "d not work|what didn't work|what failed|what went wrong|известные ошибки|известные проблемы|найденны"
        "е проблемы|не удалось|неудачные попытки|что не сработало|что пошло не так|اخطاء معروفه|المحاولات الف"
        "اشله|ما فشل|ما لم ينجح|محاولات فاشله|مشاكل معروفه|असफल प्रयास|आई समस्याएं|क्या गलत हुआ|क्या नहीं चला"
        "|ज्ञात समस्याएं|うまくいかなかったこと|エラー一覧|エラー内容|トラブル記録|バグ一覧|不具合一覧|動かな"
        "いもの|发现的问题|問題点|失敗したこと|失敗した試み|失敗例|失敗嘗試|失敗的嘗試|失败尝试|失败的尝试|存"
        "在的問題|存在的问题|已知問題|已知问题|故障记录|既知の不具合|既知の問題|発生した問題|發現的問題|遇到"
        "的問題|遇到的问题|錯誤記錄|错误记录|障害情報|障害記録|문제점|발견된 문제|발생한 문제|버그 목록|실패 "
        "기록|실패 사례|실패한 것|실패한 시도|안 되는 것|안 된 것|알려진 문제|알려진 버그|에러 목록|오류 기록"
        "|오류 목록|잘못된 것|잘못된 점|장애 기록",
    ),
    (
        "errors",
        21,
        "failed|fehlgeschlagen",
    ),
    (
        "identity",
        1,
        "about my human|about the user|acerca de mi|anrede|auftrag|avatar|call me|caracter|caractere|carater|"
        "carattere|character|charakter|come chiamarla|come chiamarlo|comment l'appeler|como chamar|core ident"
        "ity|core truths|creature|emoji|fuseau horaire|fuso horario|fuso orario|huso horario|ich bin|identida"
        "d|identidade|identita|identitaet|identitat|identite|identity|il mio nome|il mio ruolo|il mio umano|j"
        "e m'appelle|la mia missione|ma mission|me llamo|mein auftrag|mein mensch|mein name|meine rolle|meine"
        " werte|mes valeurs|meu humano|meu nome|meu papel|mi chiamo|mi humano|mi mision|mi nombre|mi papel|mi"
        " rol|minha missao|mision|missao|mission|missione|mon humain|mon nom|mon role|my human|my name|my rol"
        "e|name|names|nature|nom|nombre|nome|o meu nome|papel|persoenlichkeit|persona|personalidad|personalid"
        "ade|personalita|personality|personlichkeit|personnalite|pronouns|purpose|qui suis je|rol|role|rolle|"
        "ruolo|time zone|timezone|uber den menschen|ueber den menschen|valeurs|valores|valori|values|vibe|wer"
        " bin ich|werte|wesen|what to call them|who am i|who they are|zeitzone|zona horaria|имя|личность|меня"
        " зовут|миссия|мое имя|мои ценности|мой человек|моя миссия|моя роль|роль|характер|ценности|часовой по"
        "яс|اسم|اسمي|الاسم|الدور|الشخصيه|القيم|المنطقه الزمنيه|الهويه|رسالتي|شخصيتي|طبعي|عني|قيمي|نبذه عني|هو"
        "يتي|هويه|उद्देश्य|नाम|परिचय|पहचान|भूमिका|मिशन|मेरा उद्देश्य|मेरा परिचय|मेरी पहचान|मेरी भूमिका|मेरे म"
        "ूल्य|व्यक्तित्व|समय क्षेत्र|स्वभाव|アイデンティティ|タイムゾーン|プロフィール|人格|价值观|使命|価値"
        "観|個性|價值觀|名前|名字|呼び名|呼び方|姓名|役割|性格|我的使命|我的名字|我的角色|时区|時區|私の名前|"
        "私の役割|称呼|稱呼|自己紹介|自我介紹|自我介绍|角色|身份|가치관|나의 역할|내 역할|사명|성격|시간대|신"
        "원|역할|이름|인격|자기소개|정체성|프로필|호칭",
    ),
    (
        "identity",
        3,
        "a propos de moi|about me|about you|chi sei|chi sono|como llamarle|quem e voce|quem eu sou|quem sou|q"
        "ui je suis|qui tu es|quien eres|quien soy|sobre mi|sobre mim|su di me|uber mich|ueber mich|wer du bi"
        "st|wer ich bin|who i am|who you are|как обращаться|кто ты|кто я|о себе|обо мне|كيف اناديه|من انا|من "
        "انت|कैसे बुलाएं|तुम कौन हो|मेरा नाम|मेरे बारे में|मैं कौन हूं|わたしについて|关于我|我是誰|我是谁|私"
        "について|私は誰か|自分について|關於我|나는 누구인가|나에 대하여|나에 대해|내 이름",
    ),
    (
        "none",
        1,
        "a faire tourner|decide|engagement|engagements|mai|por hacer deporte|refuse|आगे पीछे",
    ),
    (
        "none",
        3,
        "domande frequenti|done with|erros comuns de|fertig mit|next to|next week|open source|perguntas frequ"
        "entes|preguntas frecuentes|problems with|questions frequentes|questions of|вопросы и ответы|частые в"
        "опросы|اسئله شائعه|الاسئله الشائعه|تم تاجيل|किया जाना|已完成度|必須項目|注意点灯|等待时间|等待時間|"
        "等待状态",
    ),
)
FIRST_OF_HEADINGS = (
    "a|abandonado|abandoned|abandonne|abandonnes|abbandonato|abbiamo|aberto|abertos|abgebrochen|abgelehnt"
    "|abgemacht|abgesagt|abgeschlossen|abgeschlossene|abierto|abiertos|abitudini|abmachungen|abneigungen|"
    "about|accompli|accomplished|accomplishments|accomplissements|accordi|accordo|accords|acerca|acheve|a"
    "chievements|acordado|acordo|acordos|action|actions|acuerdo|acuerdos|adiado|afazeres|agreed|agreement"
    "s|aguarda|aguardando|aime|als|always|amanha|ancora|angefangen|annule|annules|annullati|annullato|anr"
    "ede|answered|anulado|aperti|aperto|aplazado|apprendimenti|apprentissages|appris|aprendido|aprendizad"
    "o|aprendizados|aprendizagem|aprendizagens|aprendizaje|aprendizajes|arbeitsregeln|arbeitsweise|arbitr"
    "ages|architecture|armadilhas|arreglado|arretrati|as|aspettando|assuntos|asuntos|atascado|attese|atti"
    "vita|auf|aufgaben|aufgegeben|auftrag|ausfaelle|ausfall|ausfalle|ausgeliefert|ausgemacht|ausstehend|a"
    "usstehende|avarias|avatar|averias|awaiting|backlog|beantwortet|becos|behoben|behobene|beim|bekannte|"
    "beschlossen|beschluesse|beschluss|beschlusse|bevorzugt|blocage|blocages|bloccata|bloccati|bloccato|b"
    "locchi|blocco|blockaden|blocked|blocker|blockers|blockiert|bloquant|bloquants|bloque|bloqueada|bloqu"
    "eado|bloqueados|bloquee|bloqueio|bloqueios|bloqueo|bloqueos|bloques|bogue|bogues|bom|bon|boundaries|"
    "broken|bueno|bug|bugs|buono|caduc|call|callejones|cancelado|cancelados|canceled|cancelled|caracter|c"
    "aractere|carater|carattere|carried|carry|ce|cerrado|character|charakter|chi|chiffres|chiuso|choices|"
    "choix|choses|clos|closed|cloture|coisas|combinado|combinados|come|comment|commitments|communication|"
    "como|completadas|completado|completados|completati|completato|complete|completed|compromisos|comprom"
    "issos|concluidas|concluido|concluidos|conclusi|conclusiones|conclusioni|conclusions|concluso|conclus"
    "oes|concordato|conquistas|consegnato|consertado|consignes|convenu|core|corregido|corretto|corrige|co"
    "rriges|corrigido|cosa|cosas|cose|costumbres|costumes|creature|critical|current|da|dados|daten|dati|d"
    "atos|dead|decide|decided|decidido|decisao|decision|decisione|decisiones|decisioni|decisions|deciso|d"
    "ecisoes|declined|delibere|demain|descartado|descartados|design|detenido|die|directives|directrices|d"
    "iretrizes|direttive|dislikes|divieti|do|do's|domanda|domande|domani|don'ts|done|donnees|dos|doutes|d"
    "ropped|dubbi|dubbio|duda|dudas|duvida|duvidas|e|ecarte|ecartes|echec|echecs|echoue|eckdaten|einsicht"
    "en|em|emoji|en|encerrado|engagement|engagements|enseignements|ensenanzas|ensinamentos|entfaellt|entf"
    "allt|entregado|entregue|entscheidung|entscheidungen|entscheidungsprotokoll|entschieden|entschluesse|"
    "entschluss|entschlusse|erfahrungen|erinnerungen|erkenntnis|erkenntnisse|erledigt|erledigte|erledigte"
    "s|erreur|erreurs|erro|error|errore|errores|errori|errors|erros|es|esperando|estilo|etape|etapes|faco"
    "n|fact|factos|facts|failed|failure|failures|fait|faits|fakt|fakten|falha|falhas|falhou|fallido|falli"
    "dos|falliti|fallito|fallo|fallos|fallstricke|falta|fatos|fatti|fatto|favoris|favorites|favoritos|fav"
    "ourites|fazit|fechado|fehler|fehlgeschlagen|fehlversuche|feito|feitos|fermo|fertig|fertiggestellt|fe"
    "ste|festgelegt|festlegungen|ficou|finalizado|fini|finished|finito|fixed|follow|followup|followups|fo"
    "r|forma|frage|fragen|fuer|fuers|fur|furs|fuseau|fuso|fyi|gebote|geklaert|geklart|gelernt|gelerntes|g"
    "eloest|geloeste|gelost|geloste|gemacht|geschafft|gescheitert|geschmack|gestrichen|getan|getroffene|g"
    "ewohnheiten|gli|golden|goldene|good|gosta|gostos|gotchas|gouts|grenzen|ground|grundregeln|grundsaetz"
    "e|grundsatze|guardrails|guasti|guasto|guidelines|gusti|gustos|gut|habitos|habits|habitudes|haengt|ha"
    "ngt|hard|hausregeln|hecho|hechos|hemos|heute|hindernisse|hinfaellig|hinfallig|hoje|house|how|hoy|hus"
    "o|i|ich|ideas|idee|idees|ideias|identidad|identidade|identita|identitaet|identitat|identite|identity"
    "|il|immer|imparato|impasses|impedimenti|impedimentos|impegni|important|in|inacabado|inacheve|inciden"
    "cia|incidencias|incident|incidente|incidentes|incidenti|incidents|incognitas|incognite|informacion|i"
    "nformacoes|informations|informazioni|infos|insegnamenti|insight|insights|intentos|interdictions|inte"
    "rdit|interdits|interrogations|irrisolti|irrisolto|issues|itens|j'attends|jamais|jamas|je|jeito|kaput"
    "t|key|klaerungsbedarf|klarungsbedarf|known|kommunikationsstil|la|laisse|las|lasciato|laufende|lavoro"
    "|le|learned|learnings|leccion|lecciones|lecon|lecons|left|lehre|lehren|leitlinien|lektion|lektionen|"
    "lembretes|les|lesson|lessons|lezione|lezioni|licao|licoes|lieblingssachen|lignes|likes|limites|limit"
    "i|lineas|linee|linhas|lista|listo|lo|logrado|logros|ma|machen|mag|mai|manca|manias|me|mein|meine|mer"
    "ged|merke|merken|merksaetze|merksatze|mes|meu|meus|mi|minha|minhas|mis|mision|missao|mission|mission"
    "e|mistakes|modo|mon|morale|moraleja|must|my|n'aime|nachfassen|nachste|nachster|nachstes|nachzufassen"
    "|naechste|naechster|naechstes|name|names|nao|nature|ne|needs|neue|never|new|next|nicht|nie|niemals|n"
    "o|noch|nom|nombre|nome|non|normas|nos|nossas|not|note|notes|nouveaux|nouvelles|novas|novos|nuestras|"
    "nuevas|nuevos|nunca|nuove|nuovi|o|obligations|obsolete|obsoleto|obstacles|obstaculos|offen|offene|of"
    "fener|offenes|oggi|on|opciones|opcoes|open|operating|operator|options|opzioni|ostacoli|our|out|outag"
    "e|outages|outstanding|ouvert|ouverts|panne|pannen|pannes|papel|para|parado|pas|passi|passo|pausado|p"
    "endencia|pendencias|pendente|pendentes|pendiente|pendientes|pending|per|pergunta|perguntas|persoenli"
    "chkeit|persona|personalidad|personalidade|personalita|personality|personlichkeit|personnalite|pet|pi"
    "ano|pieges|pistes|pitfalls|plan|plano|plus|poco|points|policies|politicas|pontos|por|post|postmortem"
    "|pour|praeferenz|praeferenzen|praferenz|praferenzen|prefere|preference|preferences|preferencia|prefe"
    "rencias|preferenza|preferenze|preferisce|preferiti|prefers|prefiere|pregunta|preguntas|principais|pr"
    "incipales|principes|principi|principios|problem|problema|problemas|probleme|problemes|problemi|probl"
    "ems|prochaine|prochaines|product|prohibiciones|prohibido|proibicoes|proibido|promemoria|pronouns|pro"
    "ssima|prossime|prossimi|prossimo|proxima|proximas|proximo|proximos|punti|puntos|purpose|que|quebrado"
    "|queda|quehaceres|quello|quem|question|questioni|questions|questoes|qui|quien|rappels|realisations|r"
    "ealise|realizado|realizzato|recent|rechazado|rechazados|recordatorios|recusado|red|refuse|regel|rege"
    "ln|regla|reglas|regle|regles|regola|regole|regra|regras|regressions|rejected|rejeitado|rejeitados|re"
    "jete|rejetes|releve|remaining|reminders|reporte|resolu|resoluciones|resolus|resolved|resolvido|resol"
    "vidos|respinto|resta|reste|resuelto|resueltos|retour|retours|richtlinien|rifiutato|rimandato|rimane|"
    "rinviato|risolti|risolto|rol|role|rolle|rote|roto|rotto|ruckfrage|ruckfragen|rueckfrage|rueckfragen|"
    "rule|ruled|rules|ruolo|sackgassen|safety|sans|scartati|scartato|scelte|security|seguimiento|sem|semp"
    "re|senza|shipped|sicherheitsregeln|siempre|siguiente|siguientes|sin|sistemato|so|sobre|solucionado|s"
    "olved|sospeso|spielregeln|stabilito|stammdaten|standing|steht|stile|still|stoerung|stoerungen|stolpe"
    "rfallen|stolpersteine|storung|storungen|stuck|style|su|sujets|superseded|suspendido|suspendu|suspens"
    "o|svolto|tabu|tabus|taches|takeaway|takeaways|tareas|tarefas|tasks|tastes|tatsachen|technical|temas|"
    "tentativas|tentatives|tentativi|terminado|terminados|termine|termines|the|things|til|time|timezone|t"
    "o|today|todo|todos|todoリスト|tomorrow|tomorrow's|toujours|trabajo|trabalho|traguardi|trappole|trava"
    "do|travail|uber|uberholt|ueber|ueberholt|umgangston|umgesetzt|unanswered|unbeantwortet|unbeantwortet"
    "e|unclear|unerledigt|unerledigtes|unfinished|ungeklaert|ungeklaerte|ungeklart|ungeklarte|unklar|unkl"
    "arheiten|unknowns|unresolved|unsere|up|user|valeurs|valores|valori|values|verbote|verboten|vereinbar"
    "t|vereinbarung|vereinbarungen|veroeffentlicht|veroffentlicht|verworfen|verworfene|vibe|vicoli|vietat"
    "o|vorfaelle|vorfall|vorfalle|vorgaben|vorliebe|vorlieben|vorschriften|waiting|warten|wartend|wartet|"
    "was|we|weiter|weiteres|weiterhin|wer|werte|wesen|what|what's|who|wichtige|wie|wip|wir|wissenswertes|"
    "won't|work|working|wuensche|wunsche|ya|zeitzone|zona|zu|zur|zuruckgestellt|zurueckgestellt|zusagen|а"
    "вария|баг|баги|без|блокер|блокеры|блокирует|больше|в|важно|важные|вкусы|вопрос|вопросы|всегда|вывод|"
    "выводы|выполненные|выполнено|выпущено|выяснить|главное|главные|готово|грабли|границы|далее|дальнейши"
    "е|дальше|для|договоренности|договоренность|договорились|доделать|доставлено|достигнуто|достижения|жд"
    "ем|жду|жесткие|журнал|заблокировано|заброшено|завершенные|завершено|завтра|задачи|закончено|закрыто|"
    "запреты|запрещено|застряло|золотое|золотые|известные|извлеченные|имя|инсайты|инцидент|инциденты|испр"
    "авленные|исправлено|к|как|ключевые|красные|кто|личность|любит|манера|меня|миссия|мое|мои|мой|моя|на|"
    "надо|найденные|напоминания|наши|не|неактуально|невыполненное|незавершенное|незавершенные|нельзя|непо"
    "нятно|нерешенные|неудача|неудачи|неудачные|неясно|никогда|новые|нравится|нужно|о|обещания|обо|обязат"
    "ельно|обязательства|ограничения|ожидаем|ожидает|ожидание|опыт|основные|оставшиеся|осталось|отброшено"
    "|отвергнуто|отвергнутые|отказались|отклонено|открыто|открытые|открытый|отложенные|отложено|отменено|"
    "ошибка|ошибки|план|под|подводные|пожелания|полезно|поломка|поломки|постановили|починено|правила|прав"
    "ило|предпочтение|предпочтения|предстоит|препятствия|привычки|принципы|приняли|принято|принятые|приос"
    "тановлено|проблема|проблемы|проверенные|работа|регламент|ретроспектива|решения|решенные|решили|роль|"
    "сбои|сбой|сделано|сделать|сегодня|следующая|следующие|следующий|сломано|снято|согласовано|список|спр"
    "авка|спросить|стиль|табу|текущие|тупики|урок|уроки|усвоено|уточнить|факт|факты|характер|хвосты|ценно"
    "сти|часовой|частые|чего|чему|что|ابدا|اتفاق|اتفاقات|اتفقنا|اجراءات|اخطاء|ارشادات|اسئله|استفسار|استفس"
    "ارات|استنتاجات|اسلوب|اسم|اسمي|اعطال|افكار|الاتفاقات|الاخطاء|الاسئله|الاستنتاجات|الاسم|الاعطال|الالتز"
    "امات|الانجازات|التالي|التزامات|التعليمات|التفضيلات|الجلسه|الحدود|الحقائق|الخطوات|الخطوط|الخطوه|الخلا"
    "صه|الدرس|الدروس|الدور|الشخصيه|الضوابط|العادات|العبر|العقبات|العوائق|الغي|القاعده|القرار|القرارات|الق"
    "واعد|القيم|المؤجل|المبادئ|المتبقي|المحاولات|المحظورات|المشاكل|المشكلات|المطلوب|المعوقات|المفضلات|الم"
    "منوعات|المنجز|المنطقه|المهام|الهويه|امور|انتهت|انتهي|انجازات|انجز|انجزت|انجزنا|اهم|بانتظار|بلا|تذكير"
    "|تذكيرات|تراجعنا|تعلمت|تعلمنا|تعليمات|تفضيل|تفضيلات|تقرر|تم|جاهز|حادث|حدود|حدودي|حقائق|حقيقه|حوادث|خ"
    "طا|خطه|خطوط|خلاصات|خلل|خيارات|دائما|درس|دروس|دون|رسالتي|رغبات|سؤال|سجل|شخصيتي|ضوابط|طبعي|طريقه|عادات"
    "|عبر|عبره|عطل|عقبات|عني|عوائق|غدا|غير|فشل|في|قائمه|قاعده|قرار|قرارات|قررنا|قواعد|قواعدنا|قواعدي|قيد|"
    "قيمي|كيف|لا|لاحقا|للتاكد|للتنفيذ|للتوضيح|للعلم|للمتابعه|للمره|لم|مؤجل|مؤجله|ما|مبادئ|متابعه|متروك|مت"
    "وقف|متوقفه|محاولات|محظور|محظورات|محلول|محلوله|مرفوض|مرفوضه|مستبعد|مستبعده|مشاكل|مشكلات|مشكله|مطلوب|م"
    "عطل|معلق|معلقه|معلومات|معوقات|مغلق|مغلقه|مفتوح|مفتوحه|مكتمل|مكتمله|ملغاه|ملغي|ممنوع|ممنوعات|من|منجز|"
    "منجزات|منجزه|مهام|نبذه|ننتظر|هويتي|هويه|يحب|يحتاج|يفضل|अगला|अगली|अगले|अटका|अटके|अधूरा|अधूरे|अनसुलझे|"
    "अनुत्तरित|अनुभव|अब|असफल|असफलता|अस्पष्ट|अस्वीकृत|अहम|आई|आगे|आज|आदत|आदतें|इंतजार|उद्देश्य|उपलब्धि|उपलब"
    "्धियां|एरर|कभी|करना|करने|कल|काम|कार्य|किए|किया|कैसे|क्या|खत्म|खराब|खराबी|खारिज|खुला|खुले|गडबडी|गलतिय"
    "ां|गलतियों|गलती|घर|चल|चालू|छोड|छोडा|छोडे|जरूरत|जरूरी|जवाब|जानकारी|जानने|जारी|जिज्ञासाएं|जो|ज्ञात|टू|"
    "टूडू|ठीक|तथ्य|तय|तुम|त्याग|त्रुटि|त्रुटियां|दिक्कत|दिक्कतें|दिशा|दिशानिर्देश|दुर्घटना|ध्यान|न|नए|नही"
    "ं|नापसंद|नाम|निपटा|निपटाए|नियम|निरस्त|निर्णय|निर्देश|निषेध|निष्कर्ष|नीतियां|पक्के|पता|परिचय|पसंद|पसं"
    "दीदा|पहचान|पूछना|पूछने|पूरा|पूरे|पूर्ण|प्रगति|प्रतिबंध|प्रतीक्षा|प्रश्न|प्राथमिकताएं|फैसला|फैसले|बंद"
    "|बग|बचा|बचे|बडे|बाकी|बात|बातचीत|बाधा|बाधाएं|बुनियादी|भूमिका|भूलना|मंजूरी|मनाही|महत्वपूर्ण|मिशन|मुख्य"
    "|मूल|मेरा|मेरी|मेरे|मैं|मैंने|याद|रद्द|रुका|रुकावट|रुकावटें|रुके|रुचि|रुचियां|लंबित|लक्ष्मण|लम्बित|ल"
    "िए|वरीयता|वरीयताएं|वर्जित|वादे|विफल|विफलता|व्यक्तित्व|शंका|शंकाएं|शेष|संदेह|संपन्न|सबक|समझौते|समय|सम"
    "स्या|समस्याएं|समाप्त|सवाल|सहमति|सिद्धांत|सीख|सीखा|सीखे|सीमाएं|सुनहरा|सुनहरे|सुरक्षा|सुलझ|सुलझा|स्थगि"
    "त|स्पष्ट|स्वभाव|हमने|हमारे|हमेशा|हल|हो|होल्ड|う|こ|し|は|ふ|や|わ|ア|エ|ガ|キ|ク|コ|タ|ト|ネ|ノ|ハ|"
    "バ|フ|ブ|プ|ボ|マ|ユ|リ|ル|レ|下|不|个|中|主|习|事|人|今|仕|价|作|使|価|保|修|個|偏|做|停|價|共|关|"
    "决|准|出|分|判|前|剩|务|動|務|卡|却|原|厳|参|反|发|取|受|口|合|名|后|否|启|呼|商|問|啟|喜|回|基|報|"
    "境|复|失|好|姓|嫌|存|学|學|守|安|完|実|宿|対|尚|崩|工|已|希|常|底|废|廃|廢|开|异|引|役|待|後|得|心|"
    "必|性|悬|想|意|懸|成|我|承|报|持|振|接|提|搁|搞|擱|收|放|故|教|断|方|既|时|明|時|暂|暫|未|本|検|次|"
    "残|気|永|決|沟|没|注|済|準|溝|用|異|疑|癖|発|發|知|破|硬|確|禁|私|称|稱|積|等|約|紅|終|結|絕|絶|經|"
    "红|约|纪|经|绝|習|聞|背|自|苦|落|行|被|要|覆|見|規|覚|规|角|解|討|設|話|課|論|讨|豆|質|越|足|跟|踩|"
    "身|边|达|返|还|进|連|進|遇|運|達|遗|遺|避|還|邊|重|鉄|錯|鐵|铁|错|開|關|阻|障|需|須|须|가이드라인|가"
    "치관|걸림돌|검토|결론|결정|결정된|결정사항|결정한|경계|고장|교훈|궁금한|규칙|규칙들|금기|금지|금지사"
    "항|기각|기다리는|기본|기억할|기억해|깨달은|깨달음|꼭|끝|끝난|끝낸|나는|나에|나의|남은|내|내일|넘지|"
    "느낀|다음|다음에|다음을|달성|답변|대기|대기중|대화|더|마무리|마침|막힌|막힘|말투|문제|문제점|물어볼|"
    "미결|미결사항|미완료|미처리|미해결|미확인|반드시|반려|반성|반성할|발견된|발생한|방침|배운|배포|백로"
    "그|버그|보류|보류중|불명확|불명확한|불분명한|블로커|사고|사명|사실|사용자|선호|선호사항|설계|성격|성"
    "과|소통|수정|수칙|습관|승인|시간대|시사점|시행착오|신원|실패|실패한|싫어하는|안|안전|알게|알려진|알"
    "아둘|앞으로|앞으로의|액션|얻은|에러|역할|열린|오늘|오늘의|오류|완료|완료된|완료됨|완료한|우리|운영|"
    "원칙|응답|의문|의문점|의사|의사결정|이름|이어서|이월|인격|인사이트|잊지|자기소개|작업|잘못된|장애|장"
    "애물|전제|절대|정체성|정한|정해진|제외|제외된|종료|좋아하는|주요|주의|주의사항|주의할|준수|중단|중요"
    "|중요한|지침|지켜야|진행|진행중|질문|질문사항|참고|참고사항|챙길|처리|처리됨|처리할|철칙|철회|취소|"
    "취소됨|취향|팩트|폐기|폐기됨|포기|포기한|프로필|하지|한|한계|할|할일|함정|합의|합의된|합의사항|항상|"
    "해결|해결된|해결됨|해결한|해야|해야할|향후|호불호|호칭|확인|확인된|확인이|확인할|확정|회고|회신|후속"
    "|희망"
)

MARKERS = (
    (
        "todo",
        1,
        "a continuacion|a faire|a fazer|a finir|a ne pas oublier|a seguir|a suivre|a terminer|a traiter|abert"
        "o|abierto|action a mener|action item|action items|action needed|action required|als nachstes|als nae"
        "chstes|amanha|ancora da fare|aperto|arretrato|aufgabe|ausstehend|carried over|carry over|compito|com"
        "promiso|compromisso|da completare|da fare|da finire|da sistemare|daran denken|decision needed|demain"
        "|domani|dran denken|em aberto|em andamento|em curso|en cours|en curso|en suspens|erinnerung|es fehlt"
        " noch|etape suivante|falta|falta por hacer|fehlt noch|follow up|follow ups|followup|for tomorrow|fue"
        "r morgen|fur morgen|impegno|in arbeit|in corso|in progress|in sospeso|la suite|left to do|lembrete|m"
        "anca|must do|nachfassen|nachste schritte|nachster schritt|nachstes|naechste schritte|naechster schri"
        "tt|naechstes|needs|next|next action|next actions|next session|next step|next steps|next up|nicht ver"
        "gessen|noch machen|noch offen|noch zu erledigen|noch zu klaeren|noch zu klaren|noch zu tun|offen|off"
        "ene punkte|offener punkt|open|open item|open items|open task|outstanding|ouvert|para amanha|para faz"
        "er|para manana|pas encore fait|passo successivo|pendencia|pendencias|pendente|pendiente|pendientes|p"
        "ending|per domani|por fazer|por hacer|pour demain|prochaine etape|prochaines etapes|promemoria|pross"
        "ima azione|prossimi passi|prossimo passo|proximo paso|proximo passo|proximos pasos|proximos passos|q"
        "ueda por hacer|rappel|recordatorio|remaining|reminder|reste a faire|seguimiento|siguiente|siguiente "
        "paso|siguientes pasos|sin resolver|sin terminar|steht noch aus|still needed|still needs|still open|s"
        "till pending|still to do|suite|tache|tarea|tarea pendiente|tarefa|tema pendiente|to be done|to do|to"
        "dos|tomorrow|unerledigt|unfinished|unresolved|up next|weiterhin offen|what's next|wip|zu erledigen|z"
        "u klaeren|zu klaren|zu tun|zusage|в процессе|в работе|далее|дальше|дело|завтра|задача|к исполнению|н"
        "а завтра|надо сделать|напоминание|не сделано|нужно сделать|обещание|осталось|осталось сделать|открыт"
        "о|потом|сделать|следующие шаги|следующий шаг|что дальше|التالي|التزام|الخطوات التاليه|الخطوه التاليه"
        "|المتبقي|المطلوب|تذكير|غدا|غير مكتمل|قيد التنفيذ|قيد العمل|لاحقا|للتنفيذ|للغد|للمتابعه|لم يكتمل|لم ي"
        "نجز بعد|متابعه|متبقي|مطلوب|مفتوح|مهمه|يجب فعله|अगला कदम|अगला काम|अगले कदम|अधूरा|अभी करना है|अभी बाकी"
        "|आगे|करना|करना है|करने हैं|कल के लिए|काम|खुला|जरूरी काम|जारी|टू डू|टूडू|बाकी|बाकी काम|याद दिलाना|लंब"
        "ित|लम्बित|वादा|शेष|やること|ネクストアクション|フォローアップ|リマインド|下一步|下次|今後|作業中|后"
        "续|宿題|対応中|尚未完成|引き継ぎ|引継ぎ|待办|待办事项|待处理|待完成|待處理|待解决|待解決|待跟进|待跟"
        "進|待辦|待辦事項|後續|忘れないこと|承诺|持ち越し|接下來|接下来|提醒|明天|明日|明日やること|未完了|未"
        "完成|未対応|未解決|次|次にやること|次のアクション|次のステップ|次回|残タスク|残作業|残課題|約束|行动"
        "项|要做|要対応|要検討|課題|跟进|跟進|进行中|進行中|遗留|需要|남은 일|남은 작업|내일|내일 할 일|다음|"
        "다음 단계|다음 작업|다음 할 일|미완료|미해결|아직 할 일|액션 아이템|예정|이월|잊지 말 것|잊지 말기|"
        "진행 중|진행중|챙길 것|처리할 것|필요|할 일|할일|해야 할 일|향후|확인할 일|후속 작업|후속 조치",
    ),
    (
        "todo",
        3,
        "acordarse de|bisogna|devo|do not forget|dobbiamo|don't forget|e preciso|falta fazer|falta por|hay qu"
        "e|il faudra|il faut|il reste a|je dois|lembrar de|manca ancora|muessen noch|muss noch|mussen noch|n'"
        "oublie pas|nao esquecer|ne pas oublier|need to|no olvidar|non dimenticare|nous devons|on doit|penser"
        " a|precisamos|preciso|recordar|remember to|resta da|ricordarsi di|ricordati di|rimane da|temos de|te"
        "mos que|tenemos que|tengo que|tenho de|tenho que|доделать|надо|не забудь|не забыть|нужно|предстоит|ا"
        "حتاج الي|بقي|تذكر ان|علي ان|علينا ان|لا تنس|لا تنسي|لا ننسي|نحتاج الي|न भूलें|भूलना नहीं|भूलना मत|मत"
        " भूलना|याद रखना|याद से|やらないと|不要忘記|不要忘记|別忘了|别忘了|忘れずに|忘れないように|記得|记得|"
        "잊지 말고",
    ),
    (
        "todo",
        5,
        "fixme|todo",
    ),
    (
        "waiting",
        1,
        "a espera|a la espera|adiado|aplazado|auf eis|blocage|bloccata|bloccato|blocco|blockade|blocker|block"
        "ers|blockiert|bloque|bloqueada|bloqueado|bloquee|bloqueio|bloqueo|detenido|em espera|em pausa|en esp"
        "era|en pausa|en pause|fermo|haengt|hangt|impedimento|in attesa|in pausa|on hold|parado|pending appro"
        "val|pending reply|pending response|pending review|point bloquant|reporte|rinviato|still waiting|stuc"
        "k|suspendu|travado|waiting|warten|wartet|zuruckgestellt|zurueckgestellt|блокер|заблокирован|заблокир"
        "овано|застряло|на паузе|на согласовании|ожидание|отложено|приостановлено|بحاجه الي رد|عائق|عقبه|في ا"
        "لانتظار|قيد الانتظار|مؤجل|متوقف|معلق|अटक गया|अटका|अटका हुआ|इंतजार|इंतजार में|जवाब का इंतजार|प्रतीक्ष"
        "ा|प्रतीक्षा में|बाधा|मंजूरी का इंतजार|रुका|रुका हुआ|रुकावट|रुके हैं|स्थगित|होल्ड पर|ブロッカー|ブロ"
        "ック|ブロック中|レビュー待ち|保留|保留中|停止中|卡住|受阻|回答待ち|対応待ち|待ち|待回复|待回覆|待审"
        "批|待审核|待審核|待批准|待機中|承認待ち|搁置|擱置|暂缓|暫緩|確認待ち|等待中|返事待ち|返信待ち|連絡待"
        "ち|阻塞|기다리는 중|기다림|답변 대기|대기|대기 중|대기중|막혀 있음|막힌 것|막힘|보류|보류 중|보류중|"
        "블로커|블록됨|승인 대기|응답 대기|일시 중지|일시중지|확인 대기|회신 대기",
    ),
    (
        "waiting",
        3,
        "a espera de|a la espera de|aguarda|aguardando|aguardar|ainda a espera|ancora in attesa|aspettando|as"
        "pettiamo|awaiting|bloccato da|blocked by|blocked on|blockiert durch|blockiert von|bloque par|bloque "
        "sur|bloqueado por|dans l'attente de|en attente|en attente de|en espera de|encore en attente|esperamo"
        "s a|esperando|falta que|haengt an|haengt noch an|hangt an|hangt noch an|ich warte auf|in attesa che|"
        "in attesa dei|in attesa del|in attesa della|in attesa di|j'attends|liegt bei|nous attendons|on atten"
        "d|pendiente de|seguimos esperando|si attende|stiamo aspettando|still waiting for|still waiting on|st"
        "uck on|toujours en attente|waiting for|waiting on|warte auf|warte noch auf|warten auf|warten noch au"
        "f|wartet auf|wartet noch auf|wir warten auf|в ожидании|все еще ждем|все еще жду|ждем|жду|ожидаем|ожи"
        "даю|انتظر|بانتظار|تم تاجيل|في انتظار|لا ازال انتظر|لا نزال ننتظر|ما زلت انتظر|ما زلنا ننتظر|متوقف عل"
        "ي|ننتظر|इंतजार है|卡在|在等|正在等|等待|还在等|還在等",
    ),
    (
        "done",
        1,
        "accompli|accomplished|acheve|arreglado|ausgeliefert|bug fixed|c'est fait|cerrado|chiuso|clos|closed|"
        "complete|completed today|concluso|consegnato|consertado|corregido|corretto|corrigido|deja fait|deplo"
        "yed|done today|encerrado|entregado|entregue|fait aujourd'hui|fatto oggi|fechado|feito hoje|finalizad"
        "o|fini|finished|finito|geklaert|geklart|geloest|gelost|gemacht|geschafft|getan|gia fatto|hecho hoy|h"
        "eute erledigt|issue fixed|issue resolved|ja feito|listo|logrado|merged|problem solved|realise|realiz"
        "ado|realizzato|schon erledigt|sistemato|solucionado|solved|svolto|umgesetzt|veroeffentlicht|veroffen"
        "tlicht|ya esta|выпущено|доставлено|завершено|закончено|закрыто|починено|сделал|сделала|сделали|уже с"
        "делано|اكتمل|انتهي|انجز|جاهز|حل المشكله|محلول|مغلق|مكتمل|منجز|कर दिया|कर लिया|काम पूरा|किया|खत्म|ठीक"
        " किया|ठीक हो गया|निपटा|निपटा दिया|पूरा|पूरा हुआ|पूर्ण|बंद|संपन्न|समाप्त|सुलझ गया|सुलझा|हल|हल हुआ|हो "
        "गया|हो चुका|できた|やった|やったこと|クローズ|リリース済み|修复|修復|修正完了|修正済み|做完了|完了|"
        "完成|完成了|実施済み|対応完了|対応済|対応済み|已上線|已上线|已修复|已修復|已关闭|已发布|已处理|已完"
        "成|已發布|已處理|已解决|已解決|已關閉|搞定|搞定了|済|済み|終わった|終了|解决|解決|解決済み|達成|끝|"
        "끝냄|달성|마무리|마침|배포 완료|배포됨|수정 완료|수정됨|오늘 한 일|완료|완료됨|종료|처리 완료|처리됨"
        "|한 일|해결|해결 완료|해결됨",
    ),
    (
        "done",
        3,
        "انتهيت من|انتهينا من|انجزت|انجزنا|تم|تمت",
    ),
    (
        "done",
        5,
        "abgeschlossen|behoben|completado|completato|completed|concluido|corrige|done|erledigt|fait|fatto|fei"
        "to|fertig|fixed|hecho|resolu|resolved|resolvido|resuelto|risolto|shipped|terminado|termine|выполнено"
        "|готово|исправлено|сделано",
    ),
    (
        "dropped",
        1,
        "abandonado|abandoned|abandonne|abbandonato|abgebrochen|abgelehnt|abgesagt|anulado|aufgegeben|caduc|d"
        "eclined|descartado|ecarte|entfaellt|entfallt|gestrichen|hinfaellig|hinfallig|ja nao e preciso|laisse"
        " tomber|lasciato perdere|nao e mais preciso|nicht mehr noetig|nicht mehr notig|no longer needed|non "
        "piu necessario|non serve piu|obsolete|obsoleto|plus besoin|plus necessaire|rechazado|recusado|reject"
        "ed|rejeitado|rejete|respinto|rifiutato|ruled out|scartato|superseded|supprime|suspendido|suspenso|ub"
        "erholt|ueberholt|won't do|больше не нужно|заброшено|не нужно|неактуально|отброшено|отклонено|отмена|"
        "снято|الغي|تم الالغاء|لم يعد ضروريا|لم يعد مطلوبا|متروك|مرفوض|مستبعد|ملغي|अब जरूरत नहीं|अब जरूरी नही"
        "ं|अस्वीकृत|खारिज|छोड दिया|छोडा|जरूरत नहीं|त्याग दिया|नहीं करेंगे|निरस्त|रद्द|やめた|キャンセル|ボツ|"
        "不做了|不採用|中止|作废|作廢|却下|取りやめ|取消|否决|否決|已取消|已弃用|已放弃|已放棄|已棄用|废弃|廃"
        "止|廢棄|放弃|放棄|断念|没|破棄|見送り|기각|더 이상 필요 없음|반려|불필요|제외|중단|철회|취소|취소됨|"
        "폐기|폐기됨|포기|필요 없음",
    ),
    (
        "dropped",
        3,
        "decided against|on laisse tomber|ya no hace falta|не будем|отказались от|تخلينا عن|تراجعنا عن|تم الغ"
        "اء|不再需要|不要になった",
    ),
    (
        "dropped",
        5,
        "annule|annullato|cancelado|canceled|cancelled|dropped|verworfen|отменено",
    ),
    (
        "decision",
        1,
        "abgemacht|abmachung|accord|accordo|acordado|acordo|acuerdo|agreed|arbitrage|ausgemacht|beschlossen|b"
        "eschluss|choix|choix retenu|combinado|concordato|convenu|decided|decidido|decisao|decisao final|deci"
        "sion|decision final|decision finale|decision made|decision prise|decisione|decisione finale|decision"
        "es|decisioni|decisions|deciso|decisoes|design decision|elegido|entscheidung|entscheidungen|entschied"
        "en|entschluss|ergebnis der abstimmung|escolhido|festgelegt|festlegung|final decision|key decision|ne"
        "w decision|retenu|ruling|scelta|scelto|stabilito|verdetto|veredicto|veredito|vereinbart|vereinbarung"
        "|выбор|договоренность|итоговое решение|постановили|принято|решение|решения|согласовано|اتفاق|الاختيا"
        "ر|القرار|القرار النهائي|قرار|قرارات|अंतिम निर्णय|चुना|तय|निर्णय|फैसला|फैसले|समझौता|सहमति|决定|决策|"
        "决议|判断|合意|合意事項|意思決定|採用|方針決定|最終決定|最终决定|決まったこと|決めたこと|決定|決定事"
        "項|決断|決策|決議|約定|結論|约定|结论|결론|결정|결정 사항|결정됨|결정사항|결정함|선택|채택|최종 결정"
        "|합의|합의 사항|합의됨|합의사항|확정",
    ),
    (
        "decision",
        3,
        "abbiamo concordato|abbiamo deciso|abbiamo stabilito|acordamos|agreed on|agreed that|agreed to|combin"
        "amos|convenu de|decide de|decided not to|decided on|decided that|decided to|decidimos|deciso di|e st"
        "ato deciso|ficou combinado|ficou decidido|foi decidido|going with|hemos acordado|hemos decidido|i de"
        "cided|il a ete decide|il est decide|nous avons convenu|nous avons decide|on a convenu|on a decide|qu"
        "eda decidido|resolvemos|se acordo|se acuerda|se decide|se decidio|se ha decidido|si e deciso|we agre"
        "ed|we decided|wir haben beschlossen|wir haben entschieden|wir haben uns entschieden|wir haben verein"
        "bart|выбрали|договорились|мы решили|остановились на|приняли решение|принято решение|решили|я решил|я"
        " решила|اتفقنا ان|اتفقنا علي|اخترنا|اعتمدنا|تقرر|تم اعتماد|تم الاتفاق علي|قررت|قررنا|तय किया|तय रहा|"
        "तय हुआ|फैसला हुआ|मैंने तय किया|सहमति बनी|हमने तय किया|हमने फैसला किया|决定了|商定|已决定|已決定|我们"
        "决定|我們決定|決定了|达成一致|选定|達成一致|選定",
    ),
    (
        "rule",
        1,
        "boundary|consigne|critical rule|directive|directriz|diretriz|direttiva|divieto|faustregel|feste rege"
        "l|golden rule|goldene regel|grundregel|grundsaetzlich|grundsatzlich|guardrail|hard rule|hausregel|im"
        "peratif|important rule|interdiction|interdit|ligne rouge|linea roja|must|neue regel|new rule|non neg"
        "otiable|norma|nouvelle regle|nova regra|nuova regola|obbligatorio|obligation|obligatoire|obligatorio"
        "|obrigatorio|policy|red line|regel|regeln|regla|regla de oro|regla nueva|reglas|regle|regle d'or|reg"
        "les|regola|regola d'oro|regole|regra|regra de ouro|regra nova|regras|rule|rule of thumb|rules|standi"
        "ng order|standing rule|tabu|verbot|verboten|vorgabe|wichtige regel|граница|запрет|золотое правило|но"
        "вое правило|правила|правило|принцип|строго|الزامي|القاعده|القاعده الذهبيه|تعليمات|خط احمر|ضابط|قاعده"
        "|قاعده جديده|قواعد|مبدا|محظور|अनिवार्य|कभी नहीं|नया नियम|नियम|निर्देश|निषेध|मना है|मनाही|वर्जित|सख्त"
        " मना|सिद्धांत|सीमा|सुनहरा नियम|やってはいけない|ルール|原则|原則|厳守|厳禁|底線|底线|方針|決まり|禁"
        "止事項|約束事|紅線|絶対|红线|規則|規定|规则|规定|重要ルール|鉄則|鐵律|铁律|규칙|금기|금지|금지 사항|"
        "방침|새 규칙|수칙|원칙|중요 규칙|지침|철칙|필수|하지 말 것|한계",
    ),
    (
        "rule",
        3,
        "a partir de agora|a partir de ahora|a partir de maintenant|ab jetzt|ab sofort|always|auf keinen fall"
        "|bajo ningun concepto|bitte immer|bitte nie|d'ora in poi|da adesso in poi|da ora in poi|daqui em dia"
        "nte|de agora em diante|de ahora en adelante|de jeito nenhum|desde ahora|desormais|do not|don't|doren"
        "avant|em caso algum|em hipotese alguma|en aucun cas|en ningun caso|from now on|immer|in nessun caso|"
        "interdiction de|interdit de|jamais|jamas|mai e poi mai|must always|must never|must not|ne jamais|nev"
        "er|nie|nie wieder|niemals|non si deve mai|nunca|per nessun motivo|prohibido|proibido|sempre|siempre|"
        "sous aucun pretexte|surtout ne|toujours|unbedingt|under no circumstances|unter keinen umstaenden|unt"
        "er keinen umstanden|vietato|von jetzt an|впредь|всегда|запрещается|запрещено|нельзя|ни в коем случае"
        "|никогда|обязательно|отныне|с этого момента|ابدا لا|اياك|دائما|لا تقم ابدا|لا يجوز|ممنوع|من الان فصا"
        "عدا|يجب الا|يجب دائما|يحظر|يمنع|अब से|आगे से|कभी न|कभी भी न|कभी भी मत|कभी मत|किसी भी हाल में|किसी भी"
        " हालत में|हमेशा|これからは|一定要|不得|不要|不许|严禁|二度と|今後は|今後一切|从现在起|以后都|以後都|"
        "切勿|务必|務必|嚴禁|始終|始终|常に|從現在起|必ず|必須|必须|永远不要|永遠不要|決して|禁止|絕不|絕對不"
        "要|絶対に|绝不|绝不能|绝对不要|請勿|请勿|결코|꼭|반드시|앞으로는|이제부터|절대|절대로|지금부터는|항"
        "상",
    ),
    (
        "lesson",
        1,
        "a retenir|apprentissage|appris|aprendido|aprendizado|aprendizagem|aprendizaje|armadilha|beim nachste"
        "n mal|beim naechsten mal|conclusao|conclusione|da ricordare|einsicht|enseignement|ensenanza|ensiname"
        "nto|erkenntnis|erkenntnisse|fallstrick|fazit|fuers naechste mal|furs nachste mal|gelernt|gotcha|heut"
        "e gelernt|imparato|insegnamento|insight|key insight|key learning|key lesson|key takeaway|la prochain"
        "e fois|la prossima volta|learned|learning|learnings|leccion|leccion aprendida|lecciones|lecciones ap"
        "rendidas|lecon|lecon apprise|lecon du jour|lecons|lehre|lehre daraus|lehren|lektion|lesson|lesson le"
        "arned|lessons|lessons learned|lezione|lezione imparata|lezioni|licao|licao aprendida|licoes|licoes a"
        "prendidas|merke|mistake|moral|moral da historia|morale|moraleja|nota a me stesso|nota mental|note a "
        "moi meme|note to self|para a proxima|para la proxima|per la prossima volta|piege|pitfall|pour la pro"
        "chaine fois|retenir|stolperfalle|takeaway|takeaways|til|trappola|wieder was gelernt|вывод|выводы|зам"
        "етка себе|инсайт|мораль|на будущее|опыт|подводный камень|узнал|узнали|урок|урок на будущее|уроки|усв"
        "оено|استنتاج|الخلاصه|الدرس|الدرس المستفاد|العبره|تعلمت|تعلمنا|خلاصه|درس|درس مستفاد|دروس|عبره|فائده|ل"
        "لمره القادمه|ملاحظه لنفسي|अगली बार|अगली बार के लिए|अनुभव|आज का सबक|आज की सीख|ध्यान रहे|नसीहत|निष्कर्"
        "ष|सबक|समझ आया|सीख|सीखा|わかったこと|ハマりどころ|今日の学び|分かったこと|反思|反省|反省点|启示|啟示|"
        "坑|复盘|学び|学んだこと|学到|學到|心得|振り返り|收穫|收获|教訓|教训|次に活かす|気づき|気付き|注意点|"
        "知見|經驗|經驗教訓|经验|经验教训|落とし穴|覆盤|踩坑|교훈|깨달은 점|깨달음|느낀 점|반성|배운 것|배운 "
        "점|시사점|알게 된 것|알게 된 점|오늘 배운 것|오늘 배운 점|인사이트|주의점|주의할 점|함정|회고",
    ),
    (
        "lesson",
        3,
        "abbiamo imparato|aprendemos que|aprendi que|aprendimos que|he aprendido que|hemos aprendido que|ho i"
        "mparato|i learned|j'ai appris|learned that|nous avons appris|on a appris|we learned|научились|научил"
        "ся|تعلمت ان|تعلمنا ان|आज सीखा|मैंने सीखा|हमने सीखा|下次注意|学到了|學到了",
    ),
    (
        "preference",
        1,
        "abneigung|aime|dislikes|favori|favorite|favorito|favourite|gewohnheit|gosta|gostos|gouts|gusti|gusto"
        "s|lieber|likes|mag nicht|nao gosta|pet peeve|praeferenz|praferenz|preference|preferences|preferencia"
        "|preferencias|preferenza|preferenze|preferito|user preference|vorliebe|vorlieben|wuensche|wunsch|wun"
        "sche|вкус|нравится|пожелание|предпочтение|предпочтения|المفضل|تفضل|تفضيل|تفضيلات|आदत|नापसंद|पसंद|पसं"
        "द नहीं|पसंदीदा|प्राथमिकता|रुचि|वरीयता|こだわり|习惯|偏好|喜好|喜欢|喜歡|好き|好きなもの|好み|好物|嫌"
        "い|嫌いなもの|希望|習慣|苦手|要望|선호|선호 사항|선호사항|습관|싫어하는 것|싫어함|좋아하는 것|좋아함"
        "|취향|호불호|희망|희망 사항",
    ),
    (
        "preference",
        3,
        "bevorzugt|elle n'aime pas|elle prefere|gli piacciono|gli piace|gosta de|i prefer|il n'aime pas|il pr"
        "efere|je prefere|le gusta|le gustan|le piacciono|le piace|mochte lieber|moechte lieber|n'aime pas|na"
        "o gosta de|no le gusta|no le gustan|non gli piace|non le piace|prefere|preferisce|preferisco|prefers"
        "|prefiere|prefiero|prefiro|user prefers|любит|не любит|не нравится|предпочитает|предпочитаю|احب|تحب|"
        "لا احب|لا تحب|لا يحب|يحب|يفضل|يكره|पसंद नहीं है|पसंद है|不喜欢|不喜歡|倾向于|偏愛|偏爱|傾向於|更喜欢"
        "|更喜歡",
    ),
    (
        "fact",
        1,
        "a noter|a saber|a savoir|a tener en cuenta|bom saber|bon a savoir|bueno saberlo|buono a sapersi|da s"
        "apere|da tenere presente|dado|dato|dato clave|dato di fatto|datos|e bom saber|fact|facto|factos|fact"
        "s|fait connu|fait etabli|fakt|fakten|fato|fatos|for the record|fyi|good to know|gut zu wissen|hinwei"
        "s|info|keep in mind|key fact|merkposten|nb|ojo|para constar|para que conste|per informazione|per la "
        "cronaca|pour info|pour information|pour memoire|tatsache|zur info|zur kenntnis|важно знать|для справ"
        "ки|известно|к сведению|на заметку|подтверждено|полезно знать|справка|факт|факты|تاكيد|ثابت|حقائق|حقي"
        "قه|للعلم|مؤكد|معلومات|معلومه|معلومه مهمه|من الجيد معرفته|जरूरी जानकारी|जान लें|जानकारी|ज्ञात|तथ्य|पक"
        "्का|पता चला|पुष्टि|याद रहे|सूचना|メモ|事实|事実|事實|供参考|供參考|備忘|判明|前提|前提条件|参考|参考"
        "情報|备忘|已知|已确认|已確認|既知|確認済み|覚えておくこと|豆知識|重要信息|重要資訊|須知|须知|기억할 "
        "것|사실|알아둘 것|알아둘 점|전제|정보|중요 정보|참고|참고 사항|참고사항|팩트|확인된 사실|확인됨",
    ),
    (
        "fact",
        3,
        "참고로",
    ),
    (
        "question",
        1,
        "a clarifier|a confirmar|a demander|a esclarecer|da chiarire|da chiedere|da confermare|domanda|domand"
        "a aperta|domande|doute|dubbi|dubbio|duda|dudas|duvida|duvidas|frage|fragen|noch fragen|noch unklar|o"
        "ffene frage|offene fragen|open question|open questions|pas clair|pergunta|pergunta em aberto|pergunt"
        "as|por aclarar|por confirmar|pregunta|pregunta abierta|preguntas|q|queda la duda|question|question o"
        "uverte|questions|ruckfrage|rueckfrage|sans reponse|sem resposta|senza risposta|sin respuesta|still u"
        "nclear|to ask|to clarify|unanswered|unbeantwortet|unclear|ungeklaert|ungeklart|unklar|unknown|без от"
        "вета|вопрос|вопросы|выяснить|непонятно|неясно|открытые вопросы|открытый вопрос|под вопросом|уточнить"
        "|اسئله|استفسار|بلا جواب|سؤال|سؤال مفتوح|غير واضح|للتاكد|للتوضيح|अस्पष्ट|खुला प्रश्न|खुला सवाल|जिज्ञा"
        "सा|पता करना है|पूछना|पूछना है|प्रश्न|शंका|संदेह|सवाल|स्पष्ट नहीं|不明|不明点|不确定|不確定|待确认|待"
        "確認|待討論|待讨论|想問|想问|提問|提问|未确认|未確認|疑問|疑問点|疑问|確認したいこと|確認事項|聞きた"
        "いこと|聞くこと|要確認|論点|質問|궁금|궁금한 점|물어볼 것|미확인|불명확|불분명|열린 질문|의문|의문점"
        "|질문|질문 사항|확인 필요",
    ),
    (
        "question",
        3,
        "domanda per|domande per|frage an|fragen an|nao esta claro|no esta claro|non e chiaro|on ne sait pas "
        "encore|pergunta para|perguntas para|pregunta para|preguntas para|question for|question pour|question"
        "s for|questions pour|reste a savoir|вопрос для|вопрос к|вопросы к|спросить у|سؤال الي|لم يتضح بعد|尚"
        "不清楚|还不清楚|還不清楚",
    ),
    (
        "error",
        1,
        "andato storto|ausfall|avaria|averia|bogue|broken|causa|causa principale|causa raiz|cause|cause racin"
        "e|crash|crashed|deu errado|did not work|didn't work|echec|echoue|en panne|erreur|erreurs|erro|error|"
        "errore|errores|errori|errors|erros|exception|failed|failure|falha|falhou|fallido|fallito|fallo|fehle"
        "r|fehlerursache|fehlversuch|funktioniert nicht|geht nicht|gescheitert|guasto|incidencia|incident|inc"
        "idente|issue|kaputt|known issue|n'a pas marche|nao funciona|nao funcionou|ne fonctionne pas|ne march"
        "e pas|no funciona|no funciono|non funziona|non ha funzionato|origine du probleme|outage|panne|planta"
        "ge|problem|problema|problemas|probleme|problemes|problemi|que salio mal|quebrado|regression|root cau"
        "se|roto|rotto|stoerung|storung|ursache|vorfall|what went wrong|авария|баг|инцидент|не работает|неуда"
        "ча|ошибка|ошибки|первопричина|поломка|причина|проблема|проблемы|сбой|сломано|упало|اخطاء|السبب|المشك"
        "له|انهيار|حادث|خطا|خلل|سبب العطل|سبب المشكله|عطل|فشل|لا يعمل|مشاكل|مشكله|معطل|असफल|एरर|काम नहीं कर र"
        "हा|कारण|खराब|खराबी|गडबड|गलती|टूट गया|त्रुटि|दिक्कत|नहीं चला|बग|मूल कारण|विफल|समस्या|エラー|クラッシ"
        "ュ|トラブル|バグ|不具合|事故|出錯|出错|動かない|原因|問題点|坏了|報錯|壞了|失敗|失敗原因|失败|失败原"
        "因|崩溃|崩潰|异常|报错|故障|根因|根本原因|異常|錯誤|错误|障害|고장|근본 원인|문제|문제점|버그|사고|"
        "실패|실패 원인|안 됨|에러|오류|원인|작동 안 함|장애|크래시",
    ),
    (
        "error",
        3,
        "still broken|не удалось|تعطل",
    ),
    (
        "error",
        5,
        "bug|fehlgeschlagen",
    ),
    (
        "none",
        1,
        "always a|always been|always fails|always gets|always good|always had|always has|always nice|always o"
        "n|always returns|always shows|always the|always there|always was|always works|conclusion|decide|do n"
        "ot have|do not know|do not need|do not see|do not understand|do not want|don't care|don't have|don't"
        " know|don't like|don't need|don't remember|don't see|don't think|don't understand|don't want|don't w"
        "orry|engagement|immer das gleiche|immer dasselbe|immerhin|mai|never again mentioned|never answered|n"
        "ever been|never came|never did|never finished|never got|never had|never happened|never heard|never m"
        "ind|never need|never ran|never replied|never saw|never was|never worked|recordar viejos tiempos|refu"
        "se",
    ),
    (
        "none",
        3,
        "bisogna ammettere|bisogna dire|devo ammettere|devo dire|hay que decir|hay que reconocer|hay que ver|"
        "il faut avouer|il faut croire|il faut dire|il faut savoir|immer besser|immer groesser|immer grosser|"
        "immer mehr|immer noch|immer oefter|immer ofter|immer schlechter|immer weniger|immer wenn|immer wiede"
        "r|jamais arrive|jamais encore|jamais entendu|jamais ete|jamais eu|jamais recu|jamais su|jamais visto"
        "|jamais vu|je dois avouer|je dois dire|nie angekommen|nie dagewesen|nie geantwortet|nie gehoert|nie "
        "gehort|nie gesehen|nie im leben|nie mehr gehoert|nie mehr gehort|nie passiert|nie zuvor|niemals zuvo"
        "r|nunca chegou|nunca contesto|nunca habia|nunca he|nunca llego|nunca mais ouvi|nunca mas se supo|nun"
        "ca mas supe|nunca respondeu|nunca respondio|nunca se sabe|nunca tinha|preciso dizer|sempre a mesma|s"
        "empre foi|sempre igual|sempre la stessa|sempre lo stesso|sempre mais|sempre meno|sempre o mesmo|semp"
        "re piu|sempre stato|siempre es|siempre fue|siempre ha|siempre habia|siempre igual|siempre lo mismo|t"
        "engo que decir|tenho que dizer|toujours aussi|toujours en|toujours la|toujours le|toujours les|toujo"
        "urs malade|toujours moins|toujours pas|toujours plus|toujours rien|toujours un|toujours une|всегда б"
        "ыл|всегда была|всегда были|всегда было|надо же|надо отметить|надо признать|надо сказать|нельзя не|не"
        "льзя сказать|никогда еще|никогда не был|никогда не видел|никогда не слышал|никогда раньше|нужно отме"
        "тить|нужно признать|нужно сказать|обязательно ли|بقي ان نقول|تم اكتشاف|تمت ملاحظه|دائما ما|याद से पर"
        "े|हमेशा की तरह|हमेशा से|一定要说|不得不|不得已|不得意|不要な|不要不急|不要紧|不要緊|今後は未定|卡在"
        "一起|始終沒|始终没|必ずしも|必須承認|必須說|必須項目|必须承认|必须说|等待时间|等待時間|等待状态|絶対"
        "に無理|記得小時候|記得當時|记得小时候|记得当时|꼭 그런|꼭 그렇지|절대 아니|항상 그랬듯|항상 그렇듯",
    ),
)
FIRST_OF_MARKERS = (
    "a|ab|abandonado|abandoned|abandonne|abbandonato|abbiamo|aberto|abgebrochen|abgelehnt|abgemacht|abges"
    "agt|abgeschlossen|abierto|abmachung|abneigung|accompli|accomplished|accord|accordo|acheve|acordado|a"
    "cordamos|acordarse|acordo|action|acuerdo|adiado|agreed|aguarda|aguardando|aguardar|aime|ainda|als|al"
    "ways|amanha|ancora|andato|annule|annullato|anulado|aperto|aplazado|apprentissage|appris|aprendemos|a"
    "prendi|aprendido|aprendimos|aprendizado|aprendizagem|aprendizaje|arbitrage|armadilha|arreglado|arret"
    "rato|aspettando|aspettiamo|auf|aufgabe|aufgegeben|ausfall|ausgeliefert|ausgemacht|ausstehend|avaria|"
    "averia|awaiting|bajo|behoben|beim|beschlossen|beschluss|bevorzugt|bisogna|bitte|blocage|bloccata|blo"
    "ccato|blocco|blockade|blocked|blocker|blockers|blockiert|bloque|bloqueada|bloqueado|bloquee|bloqueio"
    "|bloqueo|bogue|bom|bon|boundary|broken|bueno|bug|buono|c'est|caduc|cancelado|canceled|cancelled|carr"
    "ied|carry|causa|cause|cerrado|chiuso|choix|clos|closed|combinado|combinamos|compito|completado|compl"
    "etato|complete|completed|compromiso|compromisso|concluido|conclusao|conclusion|conclusione|concluso|"
    "concordato|consegnato|consertado|consigne|convenu|corregido|corretto|corrige|corrigido|crash|crashed"
    "|critical|d'ora|da|dado|dans|daqui|daran|dato|datos|de|decide|decided|decidido|decidimos|decisao|dec"
    "ision|decisione|decisiones|decisioni|decisions|deciso|decisoes|declined|deja|demain|deployed|descart"
    "ado|desde|design|desormais|detenido|deu|devo|did|didn't|directive|directriz|diretriz|direttiva|disli"
    "kes|divieto|do|dobbiamo|domanda|domande|domani|don't|done|dorenavant|doute|dran|dropped|dubbi|dubbio"
    "|duda|dudas|duvida|duvidas|e|ecarte|echec|echoue|einsicht|elegido|elle|em|en|encerrado|encore|engage"
    "ment|enseignement|ensenanza|ensinamento|entfaellt|entfallt|entregado|entregue|entscheidung|entscheid"
    "ungen|entschieden|entschluss|ergebnis|erinnerung|erkenntnis|erkenntnisse|erledigt|erreur|erreurs|err"
    "o|error|errore|errores|errori|errors|erros|es|escolhido|esperamos|esperando|etape|exception|fact|fac"
    "to|factos|facts|failed|failure|fait|fakt|fakten|falha|falhou|fallido|fallito|fallo|fallstrick|falta|"
    "fato|fatos|fatto|faustregel|favori|favorite|favorito|favourite|fazit|fechado|fehler|fehlerursache|fe"
    "hlgeschlagen|fehlt|fehlversuch|feito|fermo|fertig|feste|festgelegt|festlegung|ficou|final|finalizado"
    "|fini|finished|finito|fixed|fixme|foi|follow|followup|for|frage|fragen|from|fuer|fuers|funktioniert|"
    "fur|furs|fyi|geht|geklaert|geklart|gelernt|geloest|gelost|gemacht|geschafft|gescheitert|gestrichen|g"
    "etan|gewohnheit|gia|gli|going|golden|goldene|good|gosta|gostos|gotcha|gouts|grundregel|grundsaetzlic"
    "h|grundsatzlich|guardrail|guasto|gusti|gustos|gut|haengt|hangt|hard|hausregel|hay|he|hecho|hemos|heu"
    "te|hinfaellig|hinfallig|hinweis|ho|i|ich|il|immer|immerhin|imparato|impedimento|impegno|imperatif|im"
    "portant|in|incidencia|incident|incidente|info|insegnamento|insight|interdiction|interdit|issue|j'ai|"
    "j'attends|ja|jamais|jamas|je|kaputt|keep|key|known|la|laisse|lasciato|le|learned|learning|learnings|"
    "leccion|lecciones|lecon|lecons|left|lehre|lehren|lektion|lembrar|lembrete|lesson|lessons|lezione|lez"
    "ioni|licao|licoes|lieber|liegt|ligne|likes|linea|listo|logrado|mag|mai|manca|merged|merke|merkposten"
    "|mistake|mochte|moechte|moral|morale|moraleja|muessen|muss|mussen|must|n'a|n'aime|n'oublie|nachfasse"
    "n|nachste|nachster|nachstes|naechste|naechster|naechstes|nao|nb|ne|need|needs|neue|never|new|next|ni"
    "cht|nie|niemals|no|noch|non|norma|nota|note|nous|nouvelle|nova|nunca|nuova|obbligatorio|obligation|o"
    "bligatoire|obligatorio|obrigatorio|obsolete|obsoleto|offen|offene|offener|ojo|on|open|origine|outage"
    "|outstanding|ouvert|panne|para|parado|pas|passo|pendencia|pendencias|pendente|pendiente|pendientes|p"
    "ending|penser|per|pergunta|perguntas|pet|piege|pitfall|plantage|plus|point|policy|por|pour|praeferen"
    "z|praferenz|precisamos|preciso|prefere|preference|preferences|preferencia|preferencias|preferenza|pr"
    "eferenze|preferisce|preferisco|preferito|prefers|prefiere|prefiero|prefiro|pregunta|preguntas|proble"
    "m|problema|problemas|probleme|problemes|problemi|prochaine|prochaines|prohibido|proibido|promemoria|"
    "prossima|prossimi|prossimo|proximo|proximos|q|que|quebrado|queda|question|questions|rappel|realise|r"
    "ealizado|realizzato|rechazado|recordar|recordatorio|recusado|red|refuse|regel|regeln|regla|reglas|re"
    "gle|regles|regola|regole|regra|regras|regression|rejected|rejeitado|rejete|remaining|remember|remind"
    "er|reporte|resolu|resolved|resolvemos|resolvido|respinto|resta|reste|resuelto|retenir|retenu|ricorda"
    "rsi|ricordati|rifiutato|rimane|rinviato|risolto|root|roto|rotto|ruckfrage|rueckfrage|rule|ruled|rule"
    "s|ruling|sans|scartato|scelta|scelto|schon|se|seguimiento|seguimos|sem|sempre|senza|shipped|si|siemp"
    "re|siguiente|siguientes|sin|sistemato|solucionado|solved|sous|stabilito|standing|steht|stiamo|still|"
    "stoerung|stolperfalle|storung|stuck|suite|superseded|supprime|surtout|suspendido|suspendu|suspenso|s"
    "volto|tabu|tache|takeaway|takeaways|tarea|tarefa|tatsache|tema|temos|tenemos|tengo|tenho|terminado|t"
    "ermine|til|to|todo|todos|tomorrow|toujours|trappola|travado|uberholt|ueberholt|umgesetzt|unanswered|"
    "unbeantwortet|unbedingt|unclear|under|unerledigt|unfinished|ungeklaert|ungeklart|unklar|unknown|unre"
    "solved|unter|up|ursache|user|verbot|verboten|verdetto|veredicto|veredito|vereinbart|vereinbarung|ver"
    "oeffentlicht|veroffentlicht|verworfen|vietato|von|vorfall|vorgabe|vorliebe|vorlieben|waiting|warte|w"
    "arten|wartet|we|weiterhin|what|what's|wichtige|wieder|wip|wir|won't|wuensche|wunsch|wunsche|ya|zu|zu"
    "r|zuruckgestellt|zurueckgestellt|zusage|авария|баг|без|блокер|больше|в|важно|вкус|вопрос|вопросы|впр"
    "едь|все|всегда|выбор|выбрали|вывод|выводы|выполнено|выпущено|выяснить|готово|граница|далее|дальше|де"
    "ло|для|договоренность|договорились|доделать|доставлено|ждем|жду|заблокирован|заблокировано|заброшено"
    "|завершено|завтра|задача|закончено|закрыто|заметка|запрет|запрещается|запрещено|застряло|золотое|изв"
    "естно|инсайт|инцидент|исправлено|итоговое|к|любит|мораль|мы|на|надо|напоминание|научились|научился|н"
    "е|неактуально|нельзя|непонятно|неудача|неясно|ни|никогда|новое|нравится|нужно|обещание|обязательно|о"
    "жидаем|ожидание|ожидаю|опыт|осталось|остановились|отброшено|отказались|отклонено|открыто|открытые|от"
    "крытый|отложено|отмена|отменено|отныне|ошибка|ошибки|первопричина|под|подводный|подтверждено|пожелан"
    "ие|полезно|поломка|постановили|потом|починено|правила|правило|предпочитает|предпочитаю|предпочтение|"
    "предпочтения|предстоит|принцип|приняли|принято|приостановлено|причина|проблема|проблемы|решение|реше"
    "ния|решили|с|сбой|сделал|сделала|сделали|сделано|сделать|следующие|следующий|сломано|снято|согласова"
    "но|справка|спросить|строго|уже|узнал|узнали|упало|урок|уроки|усвоено|уточнить|факт|факты|что|я|ابدا|"
    "اتفاق|اتفقنا|احب|احتاج|اخترنا|اخطاء|اسئله|استفسار|استنتاج|اعتمدنا|اكتمل|الاختيار|التالي|التزام|الخطو"
    "ات|الخطوه|الخلاصه|الدرس|الزامي|السبب|العبره|الغي|القاعده|القرار|المتبقي|المشكله|المطلوب|المفضل|انتظر"
    "|انتهي|انتهيت|انتهينا|انجز|انجزت|انجزنا|انهيار|اياك|بانتظار|بحاجه|بقي|بلا|تاكيد|تحب|تخلينا|تذكر|تذكي"
    "ر|تراجعنا|تعطل|تعلمت|تعلمنا|تعليمات|تفضل|تفضيل|تفضيلات|تقرر|تم|تمت|ثابت|جاهز|حادث|حقائق|حقيقه|حل|خط|"
    "خطا|خلاصه|خلل|دائما|درس|دروس|سؤال|سبب|ضابط|عائق|عبره|عطل|عقبه|علي|علينا|غدا|غير|فائده|فشل|في|قاعده|ق"
    "رار|قرارات|قررت|قررنا|قواعد|قيد|لا|لاحقا|للتاكد|للتنفيذ|للتوضيح|للعلم|للغد|للمتابعه|للمره|لم|مؤجل|مؤ"
    "كد|ما|مبدا|متابعه|متبقي|متروك|متوقف|محظور|محلول|مرفوض|مستبعد|مشاكل|مشكله|مطلوب|معطل|معلق|معلومات|معل"
    "ومه|مغلق|مفتوح|مكتمل|ملاحظه|ملغي|ممنوع|من|منجز|مهمه|نحتاج|ننتظر|يجب|يحب|يحظر|يفضل|يكره|يمنع|अंतिम|अग"
    "ला|अगली|अगले|अटक|अटका|अधूरा|अनिवार्य|अनुभव|अब|अभी|असफल|अस्पष्ट|अस्वीकृत|आगे|आज|आदत|इंतजार|एरर|कभी|कर"
    "|करना|करने|कल|काम|कारण|किया|किसी|खत्म|खराब|खराबी|खारिज|खुला|गडबड|गलती|चुना|छोड|छोडा|जरूरत|जरूरी|जवाब"
    "|जान|जानकारी|जारी|जिज्ञासा|ज्ञात|टू|टूट|टूडू|ठीक|तथ्य|तय|त्याग|त्रुटि|दिक्कत|ध्यान|न|नया|नसीहत|नहीं|"
    "नापसंद|निपटा|नियम|निरस्त|निर्णय|निर्देश|निषेध|निष्कर्ष|पक्का|पता|पसंद|पसंदीदा|पुष्टि|पूछना|पूरा|पूर्"
    "ण|प्रतीक्षा|प्रश्न|प्राथमिकता|फैसला|फैसले|बंद|बग|बाकी|बाधा|भूलना|मंजूरी|मत|मना|मनाही|मूल|मैंने|याद|र"
    "द्द|रुका|रुकावट|रुके|रुचि|लंबित|लम्बित|वरीयता|वर्जित|वादा|विफल|शंका|शेष|संदेह|संपन्न|सख्त|सबक|समझ|सम"
    "झौता|समस्या|समाप्त|सवाल|सहमति|सिद्धांत|सीख|सीखा|सीमा|सुनहरा|सुलझ|सुलझा|सूचना|स्थगित|स्पष्ट|हमने|हमेश"
    "ा|हल|हो|होल्ड|こ|で|や|わ|エ|キ|ク|ト|ネ|ハ|バ|フ|ブ|ボ|メ|リ|ル|レ|一|下|不|严|中|习|事|二|今|从|以"
    "|作|供|保|修|倾|偏|做|停|備|傾|决|出|分|切|判|別|别|前|务|動|務|卡|却|原|厳|参|反|取|受|合|后|否|启|"
    "商|問|啟|喜|嚴|回|在|坏|坑|報|壞|备|复|失|好|始|嫌|学|學|完|実|宿|対|尚|崩|已|希|常|底|废|廃|廢|异|"
    "引|待|後|從|心|必|忘|想|意|我|承|报|持|振|採|接|提|搁|搞|擱|收|放|故|教|断|方|既|明|暂|暫|更|最|未|"
    "根|次|正|残|気|永|決|没|注|済|異|疑|知|破|確|禁|等|約|紅|終|結|絕|絶|經|红|约|经|结|绝|習|聞|苦|落|"
    "行|要|覆|見|規|覚|规|解|記|課|請|論|记|请|豆|質|跟|踩|达|返|还|进|选|連|進|達|遗|選|還|重|鉄|錯|鐵|"
    "铁|错|阻|障|需|須|须|결론|결정|결정됨|결정사항|결정함|결코|고장|교훈|궁금|궁금한|규칙|근본|금기|금지"
    "|기각|기다리는|기다림|기억할|깨달은|깨달음|꼭|끝|끝냄|남은|내일|느낀|다음|달성|답변|대기|대기중|더|"
    "마무리|마침|막혀|막힌|막힘|문제|문제점|물어볼|미완료|미해결|미확인|반드시|반려|반성|방침|배운|배포|"
    "배포됨|버그|보류|보류중|불명확|불분명|불필요|블로커|블록됨|사고|사실|새|선택|선호|선호사항|수정|수정"
    "됨|수칙|습관|승인|시사점|실패|싫어하는|싫어함|아직|안|알게|알아둘|앞으로는|액션|에러|열린|예정|오늘|"
    "오류|완료|완료됨|원인|원칙|응답|의문|의문점|이월|이제부터|인사이트|일시|일시중지|잊지|작동|장애|전제"
    "|절대|절대로|정보|제외|종료|좋아하는|좋아함|주의점|주의할|중단|중요|지금부터는|지침|진행|진행중|질문"
    "|참고|참고로|참고사항|채택|챙길|처리|처리됨|처리할|철칙|철회|최종|취소|취소됨|취향|크래시|팩트|폐기|"
    "폐기됨|포기|필수|필요|하지|한|한계|할|할일|함정|합의|합의됨|합의사항|항상|해결|해결됨|해야|향후|호불"
    "호|확인|확인된|확인됨|확인할|확정|회고|회신|후속|희망"
)

ITEMS = (
    (
        "nothing",
        1,
        "aktuell keine|aktuell nichts|al momento niente|al momento nulla|all clear|aucun|aucun blocage|aucun "
        "point ouvert|aucune|aucune question|aucune tache|de momento nada|derzeit keine|derzeit nichts|empty|"
        "entfaellt|entfallt|heute keine|im moment keine|im moment nichts|keine|keine aufgaben|keine blocker|k"
        "eine entscheidungen|keine neuen|keine offenen aufgaben|keine offenen fragen|keine offenen punkte|kei"
        "ner|keines|keins|leer|momentan keine|momentan nichts|n/a|na|nada|nada a fazer|nada mais|nada mas|nad"
        "a pendente|nada pendiente|nada por agora|nada por ahora|nada por enquanto|nada por hacer|nadie|nao h"
        "a|nao ha nada|nao se aplica|neant|nenhum|nenhuma|nenhuma pendencia|nenhuma tarefa|nessun blocco|ness"
        "un punto aperto|nessuna|nessuna attivita|nessuno|nicht zutreffend|nichts|nichts mehr|nichts neues|ni"
        "chts offen|nichts offenes|nichts weiter|nichts zu tun|niemand|niente|niente da fare|niente di nuovo|"
        "niente in sospeso|nil|ninguem|ningun pendiente|ninguna|ninguna tarea|ninguno|no action items|no acti"
        "on needed|no action required|no aplica|no blockers|no decisions|no decisions today|no hay|no hay nad"
        "a|no hay pendientes|no new decisions|no new lessons|no next steps|no one|no open items|no open point"
        "s|no open questions|no open tasks|nobody|noch keine|noch nichts|non applicabile|non applicable|none|"
        "none at the moment|none during this session|none for now|none made|none made today|none new|none new"
        " today|none noted|none open|none pending|none recorded|none right now|none so far|none this session|"
        "none today|none yet|not applicable|nothing|nothing at the moment|nothing else|nothing for now|nothin"
        "g left|nothing more|nothing new|nothing new today|nothing now|nothing open|nothing outstanding|nothi"
        "ng pending|nothing right now|nothing to do|nothing yet|nulla|nulla da fare|nulla in sospeso|per ora "
        "nessuno|per ora niente|per ora nulla|personne|por agora nada|por ahora nada|por ahora ninguno|por el"
        " momento nada|por enquanto nada|pour l'instant rien|ras|rien|rien a faire|rien a signaler|rien de pl"
        "us|rien en attente|rien en cours|rien pour l'instant|rien pour le moment|sans objet|sem pendencias|s"
        "em tarefas|sin pendientes|sin tareas|sin tareas pendientes|vacio|vazio|vide|vorerst nichts|vuoto|zur"
        "zeit keine|zurzeit nichts|больше ничего|не применимо|нет|нет вопросов|нет задач|нет открытых вопросо"
        "в|нет открытых задач|никого|никто|ничего|ничего нет|отсутствует|отсутствуют|пока нет|пока ничего|пус"
        "то|غير منطبق|فارغ|لا احد|لا توجد|لا توجد اسئله|لا توجد مهام|لا شيء|لا شيء الان|لا شيء حاليا|لا يوجد|"
        "لا يوجد حاليا|لا يوجد شيء|अभी कुछ नहीं|अभी कोई नहीं|कुछ नहीं|कुछ भी नहीं|कोई काम नहीं|कोई नहीं|खाली|"
        "नहीं|लागू नहीं|शून्य|ありません|なし|まだなし|ナシ|不适用|不適用|今のところなし|何もない|何もなし|无"
        "|无待办|暂无|暂无待办|暫無|暫無待辦|沒有|沒有了|沒有待辦|没有|没有了|没有待办|没有问题|無|無し|無待"
        "辦|特にありません|特になし|特に無し|現在なし|目前无|目前沒有|目前没有|目前無|空|該当なし|남은 일 없"
        "음|아무것도 없음|아직 없음|없다|없습니다|없음|특이사항 없음|할 일 없음|해당 없음|해당없음|현재 없음",
    ),
)
