/** A released version is never edited: add another. Times are the server's, and lines are those of a folder. */
export const migrations: readonly string[] = [
  `
create schema if not exists sms;

-- One row.
create table sms.record (
  version integer not null,
  opt_out_changes bigint not null default 0,
  history_start timestamptz
);
insert into sms.record (version) values (0);

-- Grows with each owner of a run or of a key of --once. Its owner has the advisory lock of this number as long as it is connected.
create sequence sms.token;

create table sms.runs (
  id integer generated always as identity primary key,
  name text not null unique,
  token bigint not null default 0,
  -- Who owns it, in words, and when that process was last heard of.
  owner text,
  seen timestamptz,
  -- Who has owned it since it began: user and machine by the token.
  owners jsonb not null default '{}',
  -- Null until it begins. What follows is of no use before.
  header text,
  timeline text,
  entries bigint not null default 0,
  written timestamptz not null default now(),
  -- What it cost when it had so many entries.
  costs jsonb,
  costs_entries bigint
);

-- Numbers and texts: what a resume sends, and compares.
create table sms.plan (
  run integer not null references sms.runs on delete cascade,
  index integer not null,
  line text not null,
  -- The hash of number and text, by which a message is found in other runs.
  message uuid not null,
  primary key (run, index)
);

-- Rows of a list that get no message, and why.
create table sms.left_out (
  run integer not null references sms.runs on delete cascade,
  index integer not null,
  line text not null,
  primary key (run, index)
);

-- What was intended, and what became of it. Entries are numbered without a gap.
create table sms.journal (
  run integer not null references sms.runs on delete cascade,
  entry bigint not null,
  -- Of the owner that wrote it.
  token bigint not null,
  line text not null,
  primary key (run, entry)
);

-- The key is a hash; the intent has the number, and hashes of the rest.
create table sms.once (
  key text primary key,
  token bigint not null default 0,
  owner text,
  intent text,
  outcome text,
  -- When it is dropped; null for a key that no pause frees.
  over timestamptz
);
create index on sms.once (over) where over is not null;

create table sms.opt_outs (
  id bigint generated always as identity,
  number text primary key,
  at timestamptz not null,
  reason text
);

-- Single messages, and those of removed runs: never a text.
create table sms.history (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  run integer,
  entry text not null
);
create index on sms.history (at);

create table sms.account (
  payer text primary key,
  notes jsonb not null
);

-- When watches have sent texts to a number, whose hash is the name.
create table sms.watched (
  name text primary key,
  texts timestamptz[] not null
);

-- What accounts may have spent on their latest day.
create table sms.spending (
  account text primary key,
  day text not null
);
`,
];
