"""The words of vocabulary/*.toml, folded, by what they mean. Made by tools/build_vocabulary.py.

One text a kind, `|` between words: taken apart when first asked, since a text of any length is loaded in no time. The
letter before each word says how it is matched: `A` and the flags of planning/notes/vocabulary.py.
"""

from __future__ import annotations

HEADINGS = {
    "open": (
        "Daction items|Daction needed|Daction required|Dactions needed|Dactions required|Dals nachstes|Dals n"
        "aechstes|Bangefangen|Baufgaben fuer morgen|Baufgaben fur morgen|Dausstehend|Dausstehende aufgaben|Bb"
        "acklog|Dcarried forward|Dcarried over|Bcarry forward|Bcarry over|Bcommitments|Ddecisions needed|Ddec"
        "isions pending|Ddie nachsten schritte|Ddie naechsten schritte|Berinnerungen|Bes fehlt noch|Bfollow u"
        "p|Dfollow up items|Dfollow ups|Bfollowup|Dfollowups|Bfor tomorrow|Bfuer morgen|Bfur morgen|Bin arbei"
        "t|Bin bearbeitung|Bin flight|Bin progress|Blaufende arbeiten|Dleft to do|Bmerken fuer morgen|Bmerken"
        " fur morgen|Bmorgen|Bnachfassen|Dnachste aufgaben|Dnachste schritte|Dnachste sitzung|Dnachster schri"
        "tt|Bnachstes|Bnachzufassen|Dnaechste aufgaben|Dnaechste schritte|Dnaechste sitzung|Dnaechster schrit"
        "t|Bnaechstes|Dneeds attention|Bneeds doing|Bneue zusagen|Dnew commitments|Bnext|Dnext action|Dnext a"
        "ctions|Dnext moves|Dnext priorities|Dnext session|Dnext step|Dnext steps|Dnext tasks|Dnext up|Bnicht"
        " vergessen|Dnoch offen|Dnoch zu erledigen|Dnoch zu klaeren|Dnoch zu klaren|Dnoch zu tun|Boffen|Doffe"
        "ne aufgaben|Doffene punkte|Doffene themen|Doffene to dos|Doffene todos|Boffener punkt|Boffenes|Bopen"
        "|Dopen actions|Dopen commitments|Bopen ends|Dopen issues|Dopen items|Dopen loops|Dopen points|Dopen "
        "tasks|Dopen threads|Dopen todos|Dopen work|Boutstanding|Doutstanding items|Doutstanding tasks|Doutst"
        "anding work|Bpending|Dpending actions|Dpending decisions|Dpending items|Dpending tasks|Dpending work"
        "|Bplan for tomorrow|Bplan fuer morgen|Bplan fur morgen|Bremaining|Dremaining items|Dremaining tasks|"
        "Dremaining work|Breminders|Bso geht es weiter|Bsteht noch aus|Dstill open|Dstill pending|Dstill to d"
        "o|Bthings to remember tomorrow|Dto be done|Dto do|Bto do tomorrow|Dto dos|Ftodo|Dtodo list|Btodos|Bt"
        "omorrow|Btomorrow's plan|Bunerledigt|Bunerledigtes|Bunfinished|Bunfinished business|Dunfinished work"
        "|Dunresolved|Dup next|Bwas fehlt|Bwas noch fehlt|Bwas noch offen ist|Bwas offen ist|Dweiter offen|Dw"
        "eiteres vorgehen|Dweiterhin offen|Dwhat remains|Dwhat's left|Dwhat's next|Bwie es weitergeht|Bwie ge"
        "ht es weiter|Bwip|Dwork in progress|Dzu erledigen|Dzu klaeren|Dzu klaren|Dzu tun|Bzusagen"
    ),
    "waiting": (
        "Bauf eis|Dawaiting|Bblockaden|Bblocked|Dblocked by|Dblocked items|Dblocked on|Bblocker|Dblockers|Bbl"
        "ockiert|Dblockiert durch|Dblockiert von|Dcurrent blockers|Dhaengt an|Bhaengt fest|Dhangt an|Bhangt f"
        "est|Bhindernisse|Bin wartestellung|Bon hold|Dpending approval|Dpending reply|Dpending response|Dpend"
        "ing review|Bsteht still|Bstuck|Dstuck on|Bwaiting|Dwaiting for|Dwaiting on|Bwaiting room|Bwarten|Dwa"
        "rten auf|Bwartend|Bwartet|Dwartet auf|Dwir warten auf|Bzuruckgestellt|Bzurueckgestellt"
    ),
    "done": (
        "Vabgeschlossen|Dabgeschlossene aufgaben|Daccomplished|Daccomplishments|Bachievements|Danswered quest"
        "ions|Bausgeliefert|Bbeantwortet|Vbehoben|Dbehobene fehler|Dbugs fixed|Vclosed|Dclosed issues|Dclosed"
        " items|Qcomplete|Vcompleted|Dcompleted items|Dcompleted tasks|Dcompleted today|Dcompleted work|Vdone"
        "|Bdone this session|Bdone this week|Ddone today|Verledigt|Derledigte aufgaben|Derledigte punkte|Berl"
        "edigtes|Derrors fixed|Dfehler behoben|Vfertig|Bfertiggestellt|Vfinished|Dfinished today|Vfixed|Dfixe"
        "d issues|Dfixed today|Bgeklaert|Bgeklart|Bgeloest|Dgeloeste probleme|Bgelost|Dgeloste probleme|Bgema"
        "cht|Bgeschafft|Bgetan|Dheute erledigt|Dheute gemacht|Dheute geschafft|Dissues fixed|Dissues resolved"
        "|Dkey accomplishments|Qmerged|Dproblem geloest|Dproblem gelost|Dprobleme geloest|Dprobleme gelost|Dp"
        "roblems solved|Dquestions answered|Vresolved|Dresolved issues|Vshipped|Dshipped today|Rsolved|Dtasks"
        " completed|Bumgesetzt|Bveroeffentlicht|Bveroffentlicht|Bwas gemacht wurde|Bwas ich gemacht habe|Dwha"
        "t got done|Dwhat i did|Dwhat was done|Dwhat we did|Dwork completed|Dwork done"
    ),
    "dropped": (
        "Rabandoned|Babgebrochen|Babgelehnt|Babgesagt|Baufgegeben|Vcanceled|Vcancelled|Ddecided against|Bdecl"
        "ined|Vdropped|Bentfaellt|Rentfallt|Bgestrichen|Bhinfaellig|Bhinfallig|Bmachen wir nicht|Bnicht mehr "
        "noetig|Bnicht mehr notig|Bno longer needed|Bnot doing|Robsolete|Bout of scope|Brejected|Drejected id"
        "eas|Drejected options|Druled out|Rsuperseded|Buberholt|Bueberholt|Vverworfen|Dverworfene ideen|Bwon'"
        "t do"
    ),
    "decisions": (
        "Babgemacht|Dabmachungen|Bagreed|Bagreements|Darchitecture decisions|Bausgemacht|Bbeschlossen|Dbeschl"
        "uesse|Bbeschluss|Dbeschlusse|Dchoices made|Bdecided|Bdecided today|Bdecision|Bdecision log|Bdecision"
        " made|Bdecision record|Ddecisions|Bdecisions log|Ddesign decisions|Bentscheidung|Dentscheidungen|Ben"
        "tscheidungsprotokoll|Bentschieden|Bentschluesse|Bentschluss|Bentschlusse|Bfestgelegt|Dfestlegungen|D"
        "getroffene entscheidungen|Dheute beschlossen|Dheute entschieden|Dimportant decisions|Dkey decision|D"
        "key decisions|Dproduct decisions|Drecent decisions|Dtechnical decisions|Bvereinbart|Bvereinbarung|Dv"
        "ereinbarungen|Bwas wir beschlossen haben|Bwas wir entschieden haben|Dwe decided|Dwhat was decided|Dw"
        "hat we agreed|Dwhat we decided|Dwichtige entscheidungen"
    ),
    "rules": (
        "Balways|Balways and never|Balways do|Barbeitsregeln|Bboundaries|Dcore rules|Dcritical rules|Bdie reg"
        "eln|Bdirectives|Bdo not|Bdo's and don'ts|Bdon'ts|Bdos and don'ts|Dfeste regeln|Bgebote|Bgebote und v"
        "erbote|Bgolden rule|Dgolden rules|Bgoldene regel|Bgoldene regeln|Bgrenzen|Dground rules|Bgrundregeln"
        "|Bgrundsaetze|Bgrundsatze|Bguardrails|Bguidelines|Bhard boundaries|Bhard limits|Dhard rules|Bhausreg"
        "eln|Dhouse rules|Bimmer|Dimportant rules|Bleitlinien|Bmeine grenzen|Bmeine regeln|Bmust always|Bmust"
        " never|Bmy boundaries|Bmy rules|Bneue regel|Bneue regeln|Bnever|Bnever do|Bnever do this|Bnew rule|D"
        "new rules|Bnicht verhandelbar|Bnie|Bniemals|Bnon negotiable|Dnon negotiables|Doperating rules|Bour r"
        "ules|Bpolicies|Bred lines|Bregel|Bregeln|Dregeln fuer|Dregeln fur|Brichtlinien|Brote linien|Brule|Br"
        "ules|Brules for myself|Brules of engagement|Brules to follow|Dsafety rules|Dsecurity rules|Bsicherhe"
        "itsregeln|Bspielregeln|Dstanding directives|Dstanding orders|Dstanding rules|Btabu|Btabus|Bthe rules"
        "|Bunsere regeln|Bverbote|Bverboten|Bvorgaben|Bvorschriften|Bwas ich nie tue|Bwhat i never do|Dwichti"
        "ge regeln|Bworking agreements|Dworking rules"
    ),
    "lessons": (
        "Bbeim nachsten mal|Bbeim naechsten mal|Beinsichten|Berfahrungen|Berkenntnis|Derkenntnisse|Dfallstric"
        "ke|Bfazit|Bfuers naechste mal|Bfurs nachste mal|Bgelernt|Bgelerntes|Dgotchas|Dheute gelernt|Binsight"
        "|Binsights|Bkey insight|Dkey insights|Dkey learnings|Dkey lessons|Dkey takeaways|Blearned|Blearned t"
        "oday|Dlearnings|Blehre|Dlehren|Blektion|Dlektionen|Blesson|Dlesson learned|Dlessons|Bmerke|Bmerksaet"
        "ze|Bmerksatze|Bmistakes|Bmistakes made|Bmistakes to avoid|Dneue erkenntnisse|Bnote to self|Bnotes to"
        " self|Bpitfalls|Bstolperfallen|Bstolpersteine|Btakeaway|Btakeaways|Dthings i learned|Dthings learned"
        "|Btil|Btoday i learned|Bwas gelernt wurde|Bwas ich gelernt habe|Bwas wir gelernt haben|Dwhat i learn"
        "ed|Dwhat we learned|Dwichtige erkenntnisse"
    ),
    "preferences": (
        "Babneigungen|Barbeitsweise|Bbevorzugt|Dcommunication preferences|Bcommunication style|Bdislikes|Bfav"
        "orites|Bfavourites|Bgeschmack|Bgewohnheiten|Bhabits|Bhow i like to work|Bhow they like to work|Dknow"
        "n preferences|Bkommunikationsstil|Blieblingssachen|Blikes|Blikes & dislikes|Blikes and dislikes|Bmag"
        "|Bmag nicht|Dmy preferences|Bpet peeves|Dpraeferenzen|Dpraferenzen|Bpreference|Dpreferences|Bprefers"
        "|Btastes|Bumgangston|Duser preferences|Bvorliebe|Dvorlieben|Bvorlieben und abneigungen|Bwas er mag|B"
        "was sie mag|Bworking style|Bwuensche|Bwunsche"
    ),
    "facts": (
        "Bdaten und fakten|Beckdaten|Bfact|Bfacts|Dfacts about|Dfacts learned|Dfacts to remember|Bfakt|Bfakte"
        "n|Dfakten uber|Dfakten ueber|Bfor the record|Bfyi|Bgood to know|Bgut zu wissen|Dimportant facts|Dkey"
        " facts|Dknown facts|Bstammdaten|Btatsachen|Dwichtige fakten|Bwissenswertes|Bzur info|Bzur kenntnis"
    ),
    "questions": (
        "Bfrage|Dfragen|Dfragen an|Dkey questions|Bklaerungsbedarf|Bklarungsbedarf|Bnoch fragen|Bnoch unklar|"
        "Boffene frage|Doffene fragen|Bopen question|Dopen questions|Dpending questions|Bquestion|Dquestions|"
        "Dremaining questions|Bruckfrage|Druckfragen|Brueckfrage|Drueckfragen|Dthings to ask|Bto ask|Dto clar"
        "ify|Bunanswered|Dunanswered questions|Bunbeantwortet|Dunbeantwortete fragen|Bunclear|Bungeklaert|Dun"
        "geklaerte fragen|Bungeklart|Dungeklarte fragen|Bunklar|Bunklarheiten|Bunknowns|Bzu fragen"
    ),
    "errors": (
        "Dausfaelle|Bausfall|Dausfalle|Dbekannte fehler|Dbekannte probleme|Bbroken|Bbug|Dbugs|Ddead ends|Berr"
        "or|Derrors|Vfailed|Dfailed attempts|Bfailure|Dfailures|Dfehler|Vfehlgeschlagen|Dfehlversuche|Bgesche"
        "itert|Bincident|Dincidents|Bissues|Dissues found|Bkaputt|Dknown bugs|Dknown issues|Boutage|Boutages|"
        "Bpanne|Bpannen|Dpost mortem|Dpostmortem|Bproblem|Dprobleme|Dproblems|Dregressions|Bsackgassen|Dstill"
        " broken|Bstoerung|Dstoerungen|Bstorung|Dstorungen|Dvorfaelle|Bvorfall|Dvorfalle|Bwas nicht funktioni"
        "ert hat|Bwas nicht ging|Bwas schief lief|Bwas schiefgelaufen ist|Bwas schiefging|Dwhat did not work|"
        "Dwhat didn't work|Dwhat failed|Dwhat went wrong"
    ),
    "identity": (
        "Dabout me|Babout my human|Babout the user|Dabout you|Banrede|Bauftrag|Bavatar|Bcall me|Bcharacter|Bc"
        "harakter|Bcore identity|Bcore truths|Bcreature|Bemoji|Bich bin|Bidentitaet|Bidentitat|Bidentity|Bmei"
        "n auftrag|Bmein mensch|Bmein name|Bmeine rolle|Bmeine werte|Bmission|Bmy human|Bmy name|Bmy role|Bna"
        "me|Bnames|Bnature|Bpersoenlichkeit|Bpersona|Bpersonality|Bpersonlichkeit|Bpronouns|Bpurpose|Brole|Br"
        "olle|Btime zone|Btimezone|Buber den menschen|Duber mich|Bueber den menschen|Dueber mich|Bvalues|Bvib"
        "e|Bwer bin ich|Dwer du bist|Dwer ich bin|Bwerte|Bwesen|Bwhat to call them|Bwho am i|Dwho i am|Bwho t"
        "hey are|Dwho you are|Bzeitzone"
    ),
    "none": (
        "Ddone with|Dfertig mit|Bmai|Dmorgen frueh|Dmorgen fruh|Dnext to|Dnext week|Dopen source|Dproblems wi"
        "th|Dquestions of"
    ),
}

MARKERS = {
    "todo": (
        "Baction item|Baction items|Baction needed|Baction required|Bals nachstes|Bals naechstes|Baufgabe|Bau"
        "sstehend|Bcarried over|Bcarry over|Bcommitment|Bdaran denken|Bdecision needed|Ddo not forget|Ddon't "
        "forget|Bdran denken|Berinnerung|Bes fehlt noch|Bfehlt noch|Ffixme|Bfollow up|Bfollow ups|Bfollowup|B"
        "for tomorrow|Bfuer morgen|Bfur morgen|Bin arbeit|Bin progress|Bleft to do|Bmorgen|Dmuessen noch|Dmus"
        "s noch|Dmussen noch|Bmust do|Bnachfassen|Bnachste schritte|Bnachster schritt|Bnachstes|Bnaechste sch"
        "ritte|Bnaechster schritt|Bnaechstes|Dneed to|Bneeds|Bnext|Bnext action|Bnext actions|Bnext session|B"
        "next step|Bnext steps|Bnext up|Bnicht vergessen|Bnoch machen|Bnoch offen|Bnoch zu erledigen|Bnoch zu"
        " klaeren|Bnoch zu klaren|Bnoch zu tun|Boffen|Boffene punkte|Boffener punkt|Bopen|Bopen item|Bopen it"
        "ems|Bopen task|Boutstanding|Bpending|Bremaining|Dremember to|Breminder|Bsteht noch aus|Bstill needed"
        "|Bstill needs|Bstill open|Bstill pending|Bstill to do|Bto be done|Bto do|Ftodo|Btodos|Btomorrow|Bune"
        "rledigt|Bunfinished|Bunresolved|Bup next|Bweiterhin offen|Bwhat's next|Bwip|Bzu erledigen|Bzu klaere"
        "n|Bzu klaren|Bzu tun|Bzusage"
    ),
    "waiting": (
        "Bauf eis|Dawaiting|Bblockade|Bblocked|Dblocked by|Dblocked on|Bblocker|Bblockers|Bblockiert|Dblockie"
        "rt durch|Dblockiert von|Bhaengt|Dhaengt an|Dhaengt noch an|Bhangt|Dhangt an|Dhangt noch an|Dich wart"
        "e auf|Dliegt bei|Bon hold|Bpending approval|Bpending reply|Bpending response|Bpending review|Bstill "
        "waiting|Dstill waiting for|Dstill waiting on|Bstuck|Dstuck on|Bwaiting|Dwaiting for|Dwaiting on|Dwar"
        "te auf|Dwarte noch auf|Bwarten|Dwarten auf|Dwarten noch auf|Bwartet|Dwartet auf|Dwartet noch auf|Dwi"
        "r warten auf|Bzuruckgestellt|Bzurueckgestellt"
    ),
    "done": (
        "Fabgeschlossen|Baccomplished|Bausgeliefert|Fbehoben|Bclosed|Bcomplete|Fcompleted|Bcompleted today|Bd"
        "elivered|Bdeployed|Fdone|Bdone today|Ferledigt|Ffertig|Bfinished|Ffixed|Bgeklaert|Bgeklart|Bgeloest|"
        "Bgelost|Bgemacht|Bgeschafft|Bgetan|Bheute erledigt|Bmerged|Fresolved|Bschon erledigt|Fshipped|Bsolve"
        "d|Bumgesetzt|Bveroeffentlicht|Bveroffentlicht"
    ),
    "dropped": (
        "Babandoned|Babgebrochen|Babgelehnt|Babgesagt|Baufgegeben|Fcanceled|Fcancelled|Ddecided against|Bdecl"
        "ined|Fdropped|Bentfaellt|Bentfallt|Bgestrichen|Bhinfaellig|Bhinfallig|Bnicht mehr noetig|Bnicht mehr"
        " notig|Bno longer needed|Bobsolete|Brejected|Bruled out|Bsuperseded|Buberholt|Bueberholt|Fverworfen|"
        "Bwon't do"
    ),
    "decision": (
        "Babgemacht|Babmachung|Bagreed|Dagreed on|Dagreed that|Dagreed to|Bausgemacht|Bbeschlossen|Bbeschluss"
        "|Bdecided|Ddecided not to|Ddecided on|Ddecided that|Ddecided to|Bdecision|Bdecision made|Bdecisions|"
        "Bdesign decision|Bentscheidung|Bentscheidungen|Bentschieden|Bentschluss|Bergebnis der abstimmung|Bfe"
        "stgelegt|Bfestlegung|Bfinal decision|Dgoing with|Di decided|Bkey decision|Bnew decision|Bruling|Bver"
        "dict|Bvereinbart|Bvereinbarung|Dwe agreed|Dwe decided|Dwir haben beschlossen|Dwir haben entschieden|"
        "Dwir haben uns entschieden|Dwir haben vereinbart"
    ),
    "rule": (
        "Dab jetzt|Dab sofort|Dalways|Dauf keinen fall|Dbitte immer|Dbitte nie|Bboundary|Bcritical rule|Bdire"
        "ctive|Ddo not|Ddon't|Bfaustregel|Bfeste regel|Dfrom now on|Bgolden rule|Bgoldene regel|Bgrenze|Bgrun"
        "dregel|Bgrundsaetzlich|Bgrundsatzlich|Bguardrail|Bhard rule|Bhausregel|Dimmer|Bimportant rule|Bmust|"
        "Dmust always|Dmust never|Dmust not|Bneue regel|Dnever|Bnew rule|Dnie|Dnie wieder|Dniemals|Bnon negot"
        "iable|Bpolicy|Bred line|Bregel|Bregeln|Brule|Brule of thumb|Brules|Bstanding order|Bstanding rule|Bt"
        "abu|Dunbedingt|Dunder no circumstances|Dunter keinen umstaenden|Dunter keinen umstanden|Bverbot|Bver"
        "boten|Dvon jetzt an|Bvorgabe|Bwichtige regel"
    ),
    "lesson": (
        "Bbeim nachsten mal|Bbeim naechsten mal|Beinsicht|Berkenntnis|Berkenntnisse|Bfallstrick|Bfazit|Bfuers"
        " naechste mal|Bfurs nachste mal|Bgelernt|Bgotcha|Bheute gelernt|Di learned|Binsight|Bkey insight|Bke"
        "y learning|Bkey lesson|Bkey takeaway|Blearned|Dlearned that|Blearning|Blearnings|Blehre|Blehre darau"
        "s|Blehren|Blektion|Blesson|Blesson learned|Blessons|Blessons learned|Bmerke|Bmistake|Bmoral|Bnote to"
        " self|Bpitfall|Bstolperfalle|Btakeaway|Btakeaways|Btil|Dwe learned|Bwieder was gelernt"
    ),
    "preference": (
        "Babneigung|Dbevorzugt|Bdislikes|Bfavorite|Bfavourite|Bgewohnheit|Di prefer|Blieber|Blikes|Bmag|Bmag "
        "nicht|Dmochte lieber|Dmoechte lieber|Bpet peeve|Bpreference|Bpreferences|Dprefers|Buser preference|D"
        "user prefers|Bvorliebe|Bvorlieben|Bwuensche|Bwunsch|Bwunsche"
    ),
    "fact": (
        "Bconfirmed|Bfact|Bfacts|Bfakt|Bfakten|Bfor the record|Bfyi|Bgood to know|Bgut zu wissen|Bhinweis|Bke"
        "ep in mind|Bkey fact|Bmerkposten|Bnb|Btatsache|Bzur info|Bzur kenntnis"
    ),
    "question": (
        "Bfrage|Dfrage an|Bfragen|Dfragen an|Bnoch fragen|Bnoch unklar|Boffene frage|Boffene fragen|Bopen que"
        "stion|Bopen questions|Bq|Bquestion|Dquestion for|Bquestions|Dquestions for|Bruckfrage|Brueckfrage|Bs"
        "till unclear|Bto ask|Bto clarify|Bunanswered|Bunbeantwortet|Bunclear|Bungeklaert|Bungeklart|Bunklar|"
        "Bunknown"
    ),
    "error": (
        "Bausfall|Bbroken|Fbug|Bcrash|Bcrashed|Bdid not work|Bdidn't work|Berror|Berrors|Bexception|Bfailed|B"
        "failure|Bfehler|Bfehlerursache|Ffehlgeschlagen|Bfehlversuch|Bfunktioniert nicht|Bgeht nicht|Bgeschei"
        "tert|Bincident|Bissue|Bkaputt|Bknown issue|Boutage|Bpanne|Bproblem|Bprobleme|Bregression|Broot cause"
        "|Dstill broken|Bstoerung|Bstorung|Bursache|Bvorfall|Bwhat went wrong"
    ),
    "none": (
        "Balways a|Balways been|Balways fails|Balways gets|Balways good|Balways had|Balways has|Balways nice|"
        "Balways on|Balways returns|Balways shows|Balways the|Balways there|Balways was|Balways works|Bdo not"
        " have|Bdo not know|Bdo not need|Bdo not see|Bdo not understand|Bdo not want|Bdon't care|Bdon't have|"
        "Bdon't know|Bdon't like|Bdon't need|Bdon't remember|Bdon't see|Bdon't think|Bdon't understand|Bdon't"
        " want|Bdon't worry|Dimmer besser|Bimmer das gleiche|Bimmer dasselbe|Dimmer groesser|Dimmer grosser|D"
        "immer mehr|Dimmer noch|Dimmer oefter|Dimmer ofter|Dimmer schlechter|Dimmer weniger|Dimmer wenn|Dimme"
        "r wieder|Bimmerhin|Bnever again mentioned|Bnever answered|Bnever been|Bnever came|Bnever did|Bnever "
        "finished|Bnever got|Bnever had|Bnever happened|Bnever heard|Bnever mind|Bnever ran|Bnever replied|Bn"
        "ever saw|Bnever was|Bnever worked|Dnie angekommen|Dnie dagewesen|Dnie geantwortet|Dnie gehoert|Dnie "
        "gehort|Dnie gesehen|Dnie im leben|Dnie mehr gehoert|Dnie mehr gehort|Dnie passiert|Dnie zuvor|Dniema"
        "ls zuvor"
    ),
}
