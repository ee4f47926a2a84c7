/** These words say the kind of a number, so nothing is lost without them. */
const kinds = wordsOf(
  "tel telephone phone ph mobile mob cell cellular cel whatsapp wa sms call text msisdn number nr num p",
  "home work office private personal business main primary other pref preferred voice contact",
  "wife husband spouse partner mother father mum mom dad parent guardian son daughter brother sister",
  "telefono movil celular casa trabajo oficina personal esposa esposo mujer marido madre padre mama papa",
  "telephone portable domicile maison bureau perso femme mari mere pere telefone telemovel fone trabalho mae pai",
  "telefon handy mobil privat geschaftlich arbeit zuhause frau mann mutter vater telefoon mobiel thuis werk",
  "simu nambari namba nyumbani kazini mke mume mama baba mpesa telefono cellulare lavoro moglie marito",
  "هاتف جوال موبايل تلفون واتساب رقم منزل عمل زوجة زوج फोन मोबाइल घर व्हाट्सएप телефон моб тел дом раб",
  "电话 手机 電話 手機 家 携帯 휴대폰 전화 telpon telepon hp ponsel rumah kantor cep ev is",
);

/** Nobody may be texted at a number with these words, nor a fax or a pager. All are written without accents. */
const refusals = wordsOf(
  "not never dont doesnt didnt isnt wasnt wont cannot stop stops stopp stoppt stopped stopping stopall wrong dead",
  "died rip old fax telefax faxe pager pagers beeper beepers dnd dnc optout cancel cancels canceled cancelled",
  "canceling cancelling blocked banned barred suspended terminated withdrawn withdrew spam scam fake nope nein nej",
  "nicht niemals kein keine keinen keinem falsch falsche falscher falschen falsches gestorben stoppen storniert",
  "gekundigt kundigung keinesfalls verzogen widerspruch loschen geloscht loeschen geloescht",
  "faux fausse mauvais mauvaise decede decedee deces radie radiee effacer arret arreter arretez jamais stopper",
  "injoignable resilie resiliee equivocado equivocada errado errada fallecido fallecida fallecio murio difunto",
  "difunta nunca anulado anulada borrar eliminar eliminado eliminada quitar sacame",
  "cancelado cancelada cancelar cancelou falecido falecida faleceu morreu nao engano errato errata deceduto deceduta",
  "rimosso cancellare obito excluir excluido excluida desistiu niet geen nooit overleden verkeerd verkeerde afgemeld",
  "uitgeschreven zmarl zmarla jangan tidak berhenti meninggal almarhum almarhumah hayir istemiyor iptal yanlis vefat",
  "kufa amekufa alikufa amefa fariki amefariki alifariki marehemu hapana kataa alikataa amekataa anakataa hataki",
  "hakutaka sitaki hawataki hapendi hapatikani hatumiki haitumiki hatumii haipatikani haipo hayupo imefungwa ameacha",
  "aliacha ametutoka amejitoa alijitoa nitoe mtoe achana ondolewa ondoa niondoe muondoe mwondoe jiondoa amejiondoa",
  "alijiondoa لا خطأ غلط توقف إيقاف إلغاء متوفى متوفي متوفاة توفي توفى المرحوم محظور رفض يرفض مرفوض خاطئ أوقف كفى",
  "فاكس नहीं नही मत बंद गलत मृत निधन स्वर्गीय не нет стоп умер умерла мертв помер померла чужой чужая удалить удален",
  "удалена факс",
);

/** Only words that say no begin so. */
const refusalStarts = new RegExp(
  `^(?:${[
    "unsub unsus unregister donot revok complain remov declin refus reject deceas deregist invalid incorrect inactiv deactiv disconnect discontinu",
    "unreach undeliver bounc blacklist blockier geblok abgemeld abmeld abbestell abgelehnt gesperr verstorben ungultig",
    "ungueltig widerr widersproch verweiger desabon desinscri desuscri descadastr desactiv desativ annul bloque",
    "blocca rechaz recus sbagliat disiscri cancellat rifiut rimuov supprim nenvoy rezygn (?:u|m|a|wa|i)si(?:m|ni|wa|tu)?(?:tum|pig|andik)",
    "отпис отказ скончал покоин неверн неправильн ошиб заблок отключ",
  ]
    .join(" ")
    .replaceAll(" ", "|")})`,
);

const refusalPhrases = new RegExp(
  `(?<!\\p{L})(?:${[
    "opt(?:ed|ing|s)?(?: me| him| her| them)? out|left (?:the|group)|d n [dc]|r i p|(?:passed|pass|passes) (?:away|on)|late (?=\\p{L})|out of service|switched off",
    "no (?:texts?|texting|sms|messages?|calls?|calling|more|longer|thanks?|contact|marketing|consent|interest|service)(?!\\p{L})",
    "ohne sms|nie (?:wieder|mehr)|(?:ne|veut) (?:pas|plus)|(?:pas|plus) (?:de|d) ?(?:sms|messages?|textos?|appels?|contact|pub)",
    "hors service|envoyez plus|baja voluntaria|sem interesse|namba mbaya|غير موجود|(?:de|dado|dada) baja|fuera de|ya no(?!\\p{L})|cant (?=\\p{L})",
    "non? (?:envi|invi|llam|chiam|quier|vuol|dese[ao]|molest|disturb|contact|contatt|escrib|scriv|interes|exist|sirv|(?:mand(?:ar|are|e|en)|mas)(?!\\p{L}))",
    "si[oy]?o? (?:yake|yeye|namba|nambari|sahihi)(?!\\p{L})|nie (?:wysyl|dzwon|chce|pis)|salah (?:nomor|sambung)",
  ].join("|")})`,
  "u",
);

/** These words are names as well, so they say no only if no other word is beside them. */
const loneRefusals = wordsOf(
  "baja sair alto pare parar end quit exit leave left out off gone mort morte morto morta muerto muerta tot basta non nee nie acha x xx xxx futa toa block",
);

/** Their scripts write no blanks between words. */
const unspacedRefusals =
  /退[订訂会]|取消|拒[收绝絕絶否]|已故|去世|过世|逝世|死亡|死去|故人|空[号號]|[错錯][号號误誤]|打[错錯]|停[止机機用]|黑名[单單]|注销|別發|别发|不[要收接想再发發存是]|勿|解[除約约]|間違|いらない|やめ|거부|거절|사망|차단|탈퇴|잘못/u;

/** People mark a number so that nobody calls it. */
const crossedOut =
  /[\u00D7\u2020\u2021\u2573\u2613\u2620\u26D4\u26D2\u2612\u2715-\u2718\u271D\u271E\u274C\u274E\u2A2F\u{1F480}\u{1F44E}\u{1F4F5}\u{1F507}\u{1F515}\u{1F534}\u{1F595}\u{1F5D9}\u{1F645}\u{1F6AB}\u{1F6AD}\u{1F6B7}\u{1F6D1}\u{1FAA6}]|~~/u;

export function isTotal(cell: string): boolean {
  return /^(?:grand |sub-?)?(?:totals?|totaux|summe|gesamt|somme|suma|soma|jumla|sum)(?!\p{L})/iu.test(cell);
}

export function isFaxOrPager(kind: string): boolean {
  return /(?<!\p{L})(?:(?:tele)?fax|pagers?|beepers?)(?!\p{L})/iu.test(kind);
}

export function saysNo(text: string): boolean {
  const words = lettersIn(text);
  if (words.some((word) => refusals.has(word) || refusalStarts.test(word))) return true;
  if (unspacedRefusals.test(words.join(" ")) || crossedOut.test(text)) return true;
  if (text.split(/\d+/).some((part) => refusalPhrases.test(lettersIn(part).join(" ")))) return true;
  // Behind a word such as phone, a no is short for number.
  const [, before = "", no = ""] = /^(.*?)\b(no)\s+[+(]?\d/i.exec(text) ?? [];
  const isShort = before.trim() === "" ? no !== "NO" : areKinds(lettersIn(before).at(-1) ?? "");
  if (/\d.*\bno\W*$/i.test(text) || (no !== "" && !isShort) || /\d\W*\?/.test(text)) return true;
  return text.split(/[^\p{L}\p{M}\s]+/u).some((part) => {
    const [word = "", ...others] = lettersIn(part);
    return others.length === 0 && loneRefusals.has(word);
  });
}

export function areKinds(words: string): boolean {
  return lettersIn(words).every((word) => kinds.has(word));
}

function wordsOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lettersIn(lines.join(" ")));
}

/** The words in lower case, without accents and apostrophes. */
function lettersIn(text: string): readonly string[] {
  const plain = text
    .normalize("NFD")
    .replace(/[\u0300-\u036F\u0640\u064B-\u0655\u093C'\u2019]/g, "")
    .toLowerCase()
    .replaceAll("\u0131", "i")
    .replaceAll("\u0142", "l");
  return plain.normalize("NFC").match(/[\p{L}\p{M}]+/gu) ?? [];
}

export function nameIn(words: string): string {
  return words
    .replace(/\s+/g, " ")
    .replace(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, (marks) => (/^[)\]]/.test(marks) ? marks.charAt(0) : ""))
    .replace(/^([^([]*)[)\]]$/, "$1")
    .trim();
}
