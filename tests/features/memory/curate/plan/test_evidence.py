"""A text that keeps to its sources passes in any script; one that names anything else does not."""

from __future__ import annotations

from agentws.features.memory.curate.plan.evidence import Grounds, plain_words
from tests import table

_DAY = "2026-11-20"
_HELD = (
    ("Sam signed the lease for 1,200 EUR", "The lease costs 1200 EUR, Sam signed it"),
    ("backups of the phone need the cable", "Backups need the cable (2026-11-20)"),
    ("backups of the phone need the cable", "Phone backups need the cable since 2026-11"),
    ("the script ran 7/8 steps", "7 of 8 steps ran"),
    ("Call at 07:30, 3 rings", "3 rings at 07:30"),
    ("uses `src/x.py` and #183", "#183 is about src/x.py"),
    ("Anna's car", "The car of Anna"),
    ("備份電話需要線纜", "電話備份需要線纜"),
    ("バックアップは電話のケーブルが必要", "電話のバックアップにはケーブルが要る"[:14]),
    ("Анна подписала договор на 300 рублей", "договор подписала Анна: 300"),
    ("النسخ الاحتياطي يحتاج الكابل ١٢", "النسخ الاحتياطي يحتاج الكابل 12"),
    ("김민수는 서버를 옮겼다", "김민수가 서버를 옮겼다"),
    ("สำรองข้อมูลโทรศัพท์ต้องใช้สาย", "โทรศัพท์ต้องใช้สาย"),
    ("फ़ोन के बैकअप को केबल चाहिए", "बैकअप को केबल चाहिए"),
    ("Μαρία μένει στην Πάτρα", "στην Πάτρα μένει Μαρία"),
    ("paid 1,234,567 EUR", "1234567 EUR were paid"),
    ("paid 1234567 EUR", "1,234,567 EUR were paid"),
    ("see https://bank.example/pay.", "https://bank.example is paid"),
    ("`pay.py`로 한다", "`pay.py`로 한다"),
    ("the lease was signed", "Signed: the lease. The rest waits"),
    ("to deploy it takes a key", "Deploying takes a key"),
    ("each entry has a day", "Entries have a day"),
    ("the box is wet", "Boxes are wet"),
    ("they ring at 7", "Phones ring at 7"),
)
_INVENTED = (
    ("Sam signed the lease for 1,200 EUR", "Sam signed the lease for 1,300 EUR", "1,300"),
    ("Sam signed the lease", "Kim signed the lease", "Kim"),
    ("Sam signed the lease", "sam and Kim signed", "Kim"),
    ("Tom calls", "Tomas calls", "Tomas"),
    ("Maria calls", "Mario calls", "Mario"),
    ("Karl calls", "Karlsen calls", "Karlsen"),
    ("the art of it", "Artemis has it", "Artemis"),
    ("it likes jam", "James likes it", "James"),
    ("it is Phones", "It is of Entries", "Entries"),
    ("call on 2026-11-20", "call on 2026-11-21", "2026-11-21"),
    ("costs 3.5", "costs 5", "5"),
    ("see src/x.py", "see src/y.py", "src/y.py"),
    ("see #183", "see #184", "184"),
    ("costs 12 EUR", "costs 1,2 EUR", "1,2"),
    ("costs 1.234 EUR", "costs 1,234 EUR", "1,234"),
    ("costs 1234 EUR", "costs ,1,2,34 EUR", "1,2,34"),
    ("pay at https://bank.com/pay", "pay at https://bank.co", "https://bank.co"),
    ("pay at https://bank.co.example/pay", "pay at https://bank.co", "https://bank.co"),
    ("write to eva.maria@post.example", "write to maria@post.example", "maria@post.example"),
    ("see src/x.py", "see c/x.py", "c/x.py"),
    ("see my_index.py", "see index.py", "index.py"),
    ("王女士簽了合同", "李女士簽了合同", "李女士簽了合同"),
    ("田中さんが契約した", "鈴木さんが契約した", "鈴木"),
    ("サーバーを移した", "クラウドを移した", "クラウド"),
    ("Анна подписала", "Ольга подписала", "Ольга"),
    ("وقع محمد العقد", "وقع محمود العقد", "محمود"),
    ("김민수는 옮겼다", "이민수는 옮겼다", "이민수는"),
    ("김민수 옮겼다", "김민준 옮겼다", "김민준"),
    ("राम ने अनुबंध पर हस्ताक्षर किए", "मोहन ने अनुबंध पर हस्ताक्षर किए", "मोहन"),
    ("สมชายเซ็นสัญญา", "วิชัยกรเซ็นสัญญา", ""),
    ("דניאל חתם על החוזה", "יונתן חתם על החוזה", "יונתן"),
    ("٣ خوادم", "٤ خوادم", "4"),
    ("Straße 5", "Straße ５０", "50"),
)


def test_what_keeps_to_its_sources_passes() -> None:
    def check(row: tuple[str, str]) -> None:
        source, text = row
        assert Grounds([source], [_DAY], plain_words(["the rest phone waits"]).__contains__).missing(text) == ""

    table.holds(check, _HELD)


def test_what_no_source_names_is_told() -> None:
    def check(row: tuple[str, str, str]) -> None:
        source, text, name = row
        missing = Grounds([source], [], plain_words(["the phone"]).__contains__).missing(text)
        assert missing
        assert not name or missing == name, missing

    table.holds(check, _INVENTED)


def test_each_text_is_grounded_in_itself() -> None:
    texts = [row[0] for row in (*_HELD, *_INVENTED)] + [row[1] for row in (*_HELD, *_INVENTED)]
    table.holds(lambda text: [Grounds([text]).missing(text) == "" or 1 / 0], texts)
