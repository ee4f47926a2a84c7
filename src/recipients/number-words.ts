/** These words say the kind of a number, so nothing is lost without them. */
const kinds = new Set(
  [
    "tel telephone phone ph mobile mob cell cellular cel whatsapp wa sms call text msisdn number nr num p",
    "home work office private personal business main primary other pref preferred voice contact",
    "wife husband spouse partner mother father mum mom dad parent guardian son daughter brother sister",
    "telefono movil celular casa trabajo oficina personal esposa esposo mujer marido madre padre mama papa",
    "telephone portable domicile maison bureau perso femme mari mere pere telefone telemovel fone trabalho mae pai",
    "telefon handy mobil privat geschaftlich arbeit zuhause frau mann mutter vater telefoon mobiel thuis werk",
    "simu nambari namba nyumbani kazini mke mume mama baba mpesa telefono cellulare lavoro moglie marito",
    "هاتف جوال موبايل تلفون واتساب رقم منزل عمل زوجة زوج फोन मोबाइल घर व्हाट्सएप телефон моб тел дом раб",
    "电话 手机 電話 手機 家 携帯 휴대폰 전화 telpon telepon hp ponsel rumah kantor cep ev is",
  ]
    .join(" ")
    .split(" "),
);

/** Nobody may be texted at a number with these words, nor a fax or a pager. */
const refusal =
  /(?<!\p{L})(?:not|never|don['’]?t|stop|wrong|(?:tele)?fax|pagers?|beepers?|dead|died|deceased|invalid|unsubscribed?|opt(?:ed)?[ -]?out|disconnected|blocked|old|no (?:texts?|sms|messages?|calls?)|out of service|nicht|kein|falsch|ne pas|faux|mauvais|decede|equivocado|errado|falecido|fallecido|no (?:enviar|llamar)|não|nao|usitume|kufa|marehemu|لا|خطأ|فاكس|नहीं|गलत|не|нет|факс)(?!\p{L})/iu;

/** People mark a number so that nobody calls it. */
const crossedOut = /[\u274C\u274E\u{1F6AB}\u{1F6D1}\u26D4\u2717\u2718\u2716\u2612\u{1F4F5}\u{1F515}]|~~/u;

export function isTotal(cell: string): boolean {
  return /^(?:grand |sub-?)?(?:totals?|totaux|summe|gesamt|somme|suma|soma|jumla|sum)(?!\p{L})/iu.test(cell);
}

export function isFaxOrPager(kind: string): boolean {
  return /(?<!\p{L})(?:(?:tele)?fax|pagers?|beepers?)(?!\p{L})/iu.test(kind);
}

export function saysNo(words: string): boolean {
  return refusal.test(words) || crossedOut.test(words);
}

export function areKinds(words: string): boolean {
  return lettersIn(words).every((word) => kinds.has(word));
}

function lettersIn(text: string): readonly string[] {
  const plain = text
    .normalize("NFD")
    .replace(/[\u0300-\u036F]/g, "")
    .toLowerCase();
  return plain.normalize("NFC").match(/[\p{L}\p{M}]+/gu) ?? [];
}

export function nameIn(words: string): string {
  return words
    .replace(/\s+/g, " ")
    .replace(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, (marks) => (/^[)\]]/.test(marks) ? marks.charAt(0) : ""))
    .replace(/^([^([]*)[)\]]$/, "$1")
    .trim();
}
