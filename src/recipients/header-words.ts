const phoneWords = [
  "phone phones telephone tel ph mobile mobiles mob cell cells cellular cellphone handphone msisdn whatsapp gsm",
  "portable cellulaire tel telephone telefono movil celular cel tlf tfno telefone telemovel fone",
  "telefon handy mobil mobiltelefon mobilfunk rufnummer telefonnummer handynummer mobilnummer telefoon mobiel mobieltje",
  "telefoonnummer mobieltelefoon cellulare komorka mobilnr telefonnr tlfnr puhelin matkapuhelin telefonszam hp nohp telp telepon",
  "telefonu telefonunuz ponsel telpon bimbit selfoon simu rununu waya foni ucingo taleefan telefoonka thoai sđt",
  "الهاتف هاتف الجوال جوال الموبايل موبايل المحمول محمول التلفون تلفون تليفون موبایل تلفن همراه فون موبائل",
  "телефон телефона телефону тел моб мобильный мобильныи сотовый сотовыи мобільний мобільнии τηλεφωνο κινητο טלפון נייד ስልክ",
  "मोबाइल मोबाईल फोन फ़ोन दूरभाष মোবাইল ফোন மொபைல் தொலைபேசி கைபேசி ఫోన్ మొబైల్ ఫోన్ ಫೋನ್ ಮೊಬೈಲ್ ഫോൺ മൊബൈൽ ફોન મોબાઇલ ਫੋਨ ਮੋਬਾਈਲ",
];

const phoneParts = "手机 手機 电话 電話 携帯 휴대폰 휴대전화 전화 핸드폰 연락처 โทรศัพท์ มือถือ เบอร์โทร".split(" ");

/** These end a word that is written together, as in `guardianphone`. */
const phoneEnds = "phone mobile telefon telefono telefone celular handynummer phonenumber mobilenumber".split(" ");

/** A column with such a word has something of the telephone, and not its number. */
const otherWords = new Set(
  (
    "type model brand make os carrier network provider operator plan bill money verified country code ext extension " +
    "assistant assistants asst fax telefax pager pagers beeper telex tty tdd isdn consent status date time id email mail address name fullname person kind owner version serial imei " +
    "account accounts acct konto kontonummer kontonr iban compte akaunti cuenta conta datum geburtsdatum naissance fecha " +
    "tarehe ids identity identite identifiant kitambulisho ausweis ausweisnummer passport kundennummer kundennr"
  ).split(" "),
);

/** Digits below such a word count things, unless a word of the header speaks of phones. */
const countedWords = new Set(
  "order invoice receipt ref reference policy meter member ticket transaction voucher staff student admission serial rechnung facture factura recibo risiti".split(
    " ",
  ),
);

const exactNames = new Set(
  (
    "to number numero nummer nambari namba رقم contactnumber contactno contactnumbers smsnumber smsno recipientnumber " +
    "recipientno whatsappnumber whatsappno tonumber mpesano mpesanumber wa wanumber wano nowa nomorwa"
  ).split(" "),
);

const contactWords = new Set(
  "contact contacts contacto contato kontakt kontakte mawasiliano contatti recipient destination".split(" "),
);

/** A header only describes its numbers after such a word, as in `with country code`. */
const remarks = new Set("with without incl including inc format starting eg".split(" "));

const mobileWords = new Set(
  "mobile mobiles mob cell cells cellular cellphone handphone gsm movil celular cel portable cellulaire telemovel handy mobil mobiltelefon handynummer mobilnummer mobilnr mobiel selfoon cellulare simu".split(
    " ",
  ),
);

let plainPhones: ReadonlySet<string> | undefined;

/** One word must speak of numbers, and none of something else. */
export function isNumberHeader(name: string): boolean {
  const words = wordsOf(name);
  if (exactNames.has(words.join("").replace(/\d+$/, ""))) return true;
  if (words.some((word) => otherWords.has(word))) return false;
  return words.some(isPhoneWord) || isPhoneWord(words.join(""));
}

/** A contact may be a person, so the cells below decide. */
export function isContactHeader(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => contactWords.has(word)) && !words.some((word) => otherWords.has(word));
}

/** Such a column may have numbers among other things, as `Tel/Fax` and `Name & Phone` have. */
export function speaksOfPhones(name: string): boolean {
  return wordsOf(name).some((word) => isPhoneWord(word) || contactWords.has(word));
}

export function isMobileHeader(name: string): boolean {
  return wordsOf(name).some((word) => mobileWords.has(word));
}

/** An ID, an account, a date and the like are no numbers to send to, nor are those of faxes. */
export function isOtherHeader(name: string): boolean {
  return wordsOf(name).some((word) => otherWords.has(word) || countedWords.has(word));
}

/** Exports of contacts have "Phone 1 - Type" for "Phone 1 - Value". Returns -1 if no column says the kind. */
export function columnOfKind(names: readonly string[], index: number): number {
  const stemOf = (name = "") =>
    wordsOf(name)
      .filter((word) => !/^(?:value|number|no|type|label|kind)$/.test(word))
      .join(" ");
  const isKind = (name: string) => /(?:^|[^\p{L}])(?:type|label|kind)$/iu.test(name);
  return names.findIndex((name) => isKind(name) && [stemOf(names[index]), ""].includes(stemOf(name)));
}

function isPhoneWord(word: string): boolean {
  const bare = word.replace(/\d+$/, "");
  plainPhones ??= new Set(phoneWords.flatMap((words) => words.split(" ").map(plainWord)));
  if (plainPhones.has(bare) || phoneEnds.some((end) => bare.endsWith(end))) return true;
  return phoneParts.some((part) => bare.includes(plainWord(part)));
}

/** Words in brackets are a remark, whose number it is rarely matters, and a capital may begin a word. */
function wordsOf(name: string): readonly string[] {
  const text = name
    .replace(/(?<!\p{L})(?!assistant)\p{L}+['\u2019]s(?!\p{L})/giu, " ")
    .replace(/\(.*?\)|\[.*?\]/g, " ")
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .replace(/\p{Cf}/gu, "");
  const words = (text.match(/[\p{L}\p{M}\d]+/gu) ?? []).map(plainWord);
  const remark = words.findIndex((word) => remarks.has(word));
  return remark > 0 ? words.slice(0, remark) : words;
}

function plainWord(word: string): string {
  return word
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
}
