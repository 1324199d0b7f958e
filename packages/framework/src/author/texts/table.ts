// All texts that the framework itself sends to users, one row per text. A bot replaces a text by the same key below
// "framework" in its locales/<language>.json; see packages/languages/docs/languages.md.

import type { OwnLanguage, Text } from './words.ts'

/** The languages of the table. */
export const ownLanguages: readonly [OwnLanguage, OwnLanguage] = ['en', 'de']

/** Both languages of a row show the same values; a test compares them. */
export const table = {
  failed: { en: 'Something went wrong.', de: 'Da ist etwas schiefgegangen.' },
  failed_with_reference: {
    en: 'Something went wrong (ref {reference}).',
    de: 'Da ist etwas schiefgegangen (Ref. {reference}).',
  },
  took_too_long: { en: 'That took too long.', de: 'Das hat zu lange gedauert.' },
  outdated_button: { en: 'This button is outdated.', de: 'Dieser Knopf ist veraltet.' },
  'off.command': { en: 'This command is switched off for now', de: 'Dieser Befehl ist zurzeit abgeschaltet' },
  'off.button': { en: 'This button is switched off for now', de: 'Dieser Knopf ist zurzeit abgeschaltet' },
  did_you_mean: { en: '{fact}; did you mean {near}?', de: '{fact}; meintest du {near}?' },
  or: { en: '{first} or {last}', de: '{first} oder {last}' },
  and: { en: '{first} and {last}', de: '{first} und {last}' },

  'args.must_be': { en: 'must be {expected}', de: 'ist ungültig; erwartet: {expected}' },
  'args.must_be_such_as': {
    en: 'must be {expected}, such as {examples}',
    de: 'ist ungültig; erwartet: {expected}, zum Beispiel {examples}',
  },
  'args.nothing_else': { en: '{fact}, and nothing else', de: '{fact}, und sonst nichts' },
  'args.invalid': { en: 'is not valid: {reason}', de: 'ist ungültig: {reason}' },
  'args.missing': { en: 'is missing: {expected}', de: 'fehlt: {expected}' },
  'args.item': { en: '(item {number}) {fact}', de: 'Nr. {number} {fact}' },
  'args.too_long': {
    en: 'this is longer than a message can be',
    de: 'das ist länger, als eine Nachricht sein kann',
  },
  'args.too_many': {
    en: 'too many arguments; put "quotes" around a text of several words',
    de: 'zu viele Argumente; setze einen Text aus mehreren Wörtern in "Anführungszeichen"',
  },
  'args.open_quote': {
    en: 'the quotation mark {mark} is not closed; close it with {closer}',
    de: 'das Anführungszeichen {mark} wird nicht geschlossen; schließe es mit {closer}',
  },
  'args.flag_without_value': { en: '{flag} needs a value: {expected}', de: '{flag} braucht einen Wert: {expected}' },
  'args.flag_twice': { en: '{flag} is given twice', de: '{flag} kommt zweimal vor' },
  'args.unknown_flag': { en: 'there is no such flag', de: 'diese Option gibt es nicht' },
  'args.quote_dashes': {
    en: '{fact}; put "quotes" around a text that contains --',
    de: '{fact}; setze einen Text, der -- enthält, in "Anführungszeichen"',
  },
  'args.text_behind_dashes': {
    en: '{fact} Everything after a lone -- is text.',
    de: '{fact} Alles nach einem einzelnen -- ist Text.',
  },
  'args.usage': { en: 'Usage: {usage}', de: 'Verwendung: {usage}' },
  'args.example': { en: 'Example: {example}', de: 'Beispiel: {example}' },
  'args.subcommand_missing': { en: '{command} needs a subcommand', de: '{command} braucht einen Unterbefehl' },
  'args.subcommand_unknown': { en: 'there is no such subcommand', de: 'diesen Unterbefehl gibt es nicht' },

  'kind.text': { en: 'text', de: 'Text' },
  'kind.text_between': { en: 'text of {min} to {max} characters', de: 'Text mit {min} bis {max} Zeichen' },
  'kind.text_at_least': {
    en: { one: 'text of at least {count} character', other: 'text of at least {count} characters' },
    de: 'Text mit mindestens {count} Zeichen',
  },
  'kind.text_at_most': {
    en: { one: 'text of at most {count} character', other: 'text of at most {count} characters' },
    de: 'Text mit höchstens {count} Zeichen',
  },
  'kind.whole_number': { en: 'a whole number', de: 'eine ganze Zahl' },
  'kind.number': { en: 'a number', de: 'eine Zahl' },
  'kind.duration': { en: 'a duration', de: 'eine Dauer' },
  'kind.between': { en: '{what} from {min} to {max}', de: '{what} von {min} bis {max}' },
  'kind.at_least': { en: '{what} of at least {min}', de: '{what} von mindestens {min}' },
  'kind.at_most': { en: '{what} of at most {max}', de: '{what} von höchstens {max}' },
  'kind.date_examples': {
    en: '2026-03-01 18:00, tomorrow 18:00 or in 2h',
    de: '1.3.2026 18:00, morgen 18:00 oder in 2h',
  },
  'kind.date': { en: 'a date or time', de: 'ein Datum oder eine Uhrzeit' },
  'kind.date_future': { en: 'a date or time in the future', de: 'ein Datum oder eine Uhrzeit in der Zukunft' },
  'kind.date_past': { en: 'a date or time in the past', de: 'ein Datum oder eine Uhrzeit in der Vergangenheit' },
  'kind.yes_or_no': { en: 'yes or no', de: 'ja oder nein' },
  'kind.uuid': { en: 'a UUID', de: 'eine UUID' },
  'kind.any': { en: 'a valid value', de: 'ein gültiger Wert' },
  'kind.switch': { en: 'a switch', de: 'ein Schalter' },
  'kind.values': {
    en: { one: '{count} value', other: '{count} values' },
    de: { one: '{count} Wert', other: '{count} Werte' },
  },
  'kind.values_between': { en: '{min} to {max} values', de: '{min} bis {max} Werte' },
  'kind.values_at_least': {
    en: { one: 'one or more values', other: 'at least {count} values' },
    de: { one: 'ein Wert oder mehrere', other: 'mindestens {count} Werte' },
  },
  'kind.values_at_most': {
    en: { one: 'at most {count} value', other: 'at most {count} values' },
    de: { one: 'höchstens {count} Wert', other: 'höchstens {count} Werte' },
  },
  'kind.any_values': { en: 'any number of values', de: 'beliebig viele Werte' },
  'kind.values_each': { en: '{values}, each {expected}', de: '{values}, jeweils {expected}' },
  'kind.person': {
    en: 'a person: mention one, or type a name',
    de: 'eine Person: erwähne sie, oder schreib ihren Namen',
  },
  'kind.channel': {
    en: 'a channel: mention one, or type its name',
    de: 'ein Kanal: verlinke ihn, oder schreib seinen Namen',
  },
  'kind.voice_channel': {
    en: 'a voice channel: mention one, or type its name',
    de: 'ein Sprachkanal: verlinke ihn, oder schreib seinen Namen',
  },
  'kind.role': { en: 'a role: type its name', de: 'eine Rolle: schreib ihren Namen' },

  'name.person_in_dm': {
    en: 'must be a person: mention one, because names work in servers only',
    de: 'muss eine Person sein: erwähne sie, denn Namen gelten nur auf Servern',
  },
  'name.channel_in_dm': {
    en: 'must be a channel: mention one, because names work in servers only',
    de: 'muss ein Kanal sein: verlinke ihn, denn Namen gelten nur auf Servern',
  },
  'name.role_in_dm': {
    en: 'must be a role, but direct messages have no roles',
    de: 'muss eine Rolle sein, und in Direktnachrichten gibt es keine Rollen',
  },
  'name.large_server': {
    en: 'must be a person: mention one, because this server has too many members to search for a name',
    de: 'muss eine Person sein: erwähne sie, denn dieser Server hat zu viele Mitglieder für eine Suche nach Namen',
  },
  'name.no_person': {
    en: 'must be a person; no member of this server has that name',
    de: 'muss eine Person sein; auf diesem Server heißt niemand so',
  },
  'name.no_channel': {
    en: 'must be a channel; no channel of this server has that name',
    de: 'muss ein Kanal sein; auf diesem Server heißt keiner so',
  },
  'name.no_role': {
    en: 'must be a role; no role of this server has that name',
    de: 'muss eine Rolle sein; auf diesem Server heißt keine so',
  },
  'name.several_persons': {
    en: 'must be one person, but several people have that name ({names}); mention the one you mean',
    de: 'muss eine Person sein, und mehrere heißen so ({names}); erwähne die, die du meinst',
  },
  'name.several_channels': {
    en: 'must be one channel, but several channels have that name ({names}); mention the one you mean',
    de: 'muss ein Kanal sein, und mehrere heißen so ({names}); verlinke den, den du meinst',
  },
  'name.several_roles': {
    en: 'must be one role, but several roles have that name ({names}); type the id of the one you mean',
    de: 'muss eine Rolle sein, und mehrere heißen so ({names}); schreib die Id derjenigen, die du meinst',
  },
  'name.and_more': { en: '{names} and {count} more', de: '{names} und {count} weitere' },

  'guard.refused': { en: 'This is {rule}.', de: 'Das geht {rule}.' },
  'guard.only': { en: 'only {rule}', de: 'nur {rule}' },
  'guard.not': { en: 'not {rule}', de: 'nicht {rule}' },
  'guard.in_servers': { en: 'in servers', de: 'auf Servern' },
  'guard.in_dms': { en: 'in direct messages', de: 'in Direktnachrichten' },
  'guard.for_owner': { en: 'for the owner of this bot', de: 'für den Besitzer dieses Bots' },
  'guard.for_role': { en: 'for people with the role {role}', de: 'für Leute mit der Rolle {role}' },
  'guard.for_permission': {
    en: 'for people with the permission {permission}',
    de: 'für Leute mit der Berechtigung {permission}',
  },
  'guard.where_bot_may': {
    en: 'where the bot has the permission {permission}',
    de: 'dort, wo der Bot die Berechtigung {permission} hat',
  },
  'guard.server_only': { en: 'This works in servers only.', de: 'Das geht nur auf Servern.' },
  'guard.dm_only': { en: 'This works in direct messages only.', de: 'Das geht nur in Direktnachrichten.' },
  'guard.owner_only': {
    en: 'Only the owner of this bot can use this.',
    de: 'Das kann nur der Besitzer dieses Bots benutzen.',
  },
  'guard.role_only': {
    en: 'Only people with the role {role} can use this.',
    de: 'Das können nur Leute mit der Rolle {role} benutzen.',
  },
  'guard.permission_only': {
    en: 'Only people with the permission "{permission}" can use this.',
    de: 'Das können nur Leute mit der Berechtigung „{permission}“ benutzen.',
  },
  'guard.bot_lacks': {
    en: 'I need the permission "{permission}" for this. Give me a role that has it.',
    de: 'Dafür brauche ich die Berechtigung „{permission}“. Gib mir eine Rolle, die sie hat.',
  },
  'guard.bot_lacks_role': {
    en: 'I need the permission "{permission}" for this. Give me a role that has it, such as {role}.',
    de: 'Dafür brauche ich die Berechtigung „{permission}“. Gib mir eine Rolle, die sie hat, zum Beispiel {role}.',
  },
  'guard.bot_lacks_in_role': {
    en: 'I need the permission "{permission}" for this. Add it to my role {role}.',
    de: 'Dafür brauche ich die Berechtigung „{permission}“. Gib sie meiner Rolle {role}.',
  },

  'cooldown.wait': { en: 'Wait {left}, then try again.', de: 'Warte {left} und versuch es dann noch einmal.' },
  'cooldown.per_user': {
    en: {
      one: 'limited to one use per {time} per person',
      other: 'limited to {count} uses per {time} per person',
    },
    de: { one: 'einmal in {time} für jede Person', other: '{count}-mal in {time} für jede Person' },
  },
  'cooldown.per_channel': {
    en: {
      one: 'limited to one use per {time} per channel',
      other: 'limited to {count} uses per {time} per channel',
    },
    de: { one: 'einmal in {time} für jeden Kanal', other: '{count}-mal in {time} für jeden Kanal' },
  },
  'cooldown.per_server': {
    en: {
      one: 'limited to one use per {time} per server',
      other: 'limited to {count} uses per {time} per server',
    },
    de: { one: 'einmal in {time} für jeden Server', other: '{count}-mal in {time} für jeden Server' },
  },
  'cooldown.in_all': {
    en: {
      one: 'limited to one use per {time} across all users',
      other: 'limited to {count} uses per {time} across all users',
    },
    de: { one: 'einmal in {time} für alle zusammen', other: '{count}-mal in {time} für alle zusammen' },
  },
  'duration.days': {
    en: { one: '{count} day', other: '{count} days' },
    de: { one: '{count} Tag', other: '{count} Tage' },
  },
  'duration.hours': { en: '{count} h', de: '{count} Std.' },
  'duration.minutes': { en: '{count} min', de: '{count} Min.' },
  'duration.seconds': { en: '{count} s', de: '{count} s' },
  'duration.milliseconds': { en: '{count} ms', de: '{count} ms' },

  'ask.cancel_word': { en: 'cancel', de: 'abbrechen' },
  'ask.cancelled': { en: 'Cancelled.', de: 'Abgebrochen.' },
  'ask.no_answer': { en: 'No answer came within {time}.', de: 'Innerhalb von {time} kam keine Antwort.' },
  'ask.begin_again': { en: 'To start again: {again}', de: 'Zum Neustart: {again}' },
  'ask.click_again': { en: 'click the button again', de: 'klick noch einmal auf den Knopf' },
  'ask.wrong': { en: 'The answer {fact}', de: 'Die Antwort {fact}' },
  'ask.example': { en: 'For example: {example}.', de: 'Zum Beispiel: {example}.' },
  'ask.try_again': { en: 'Try again, or type "{cancel}".', de: 'Versuch es noch einmal, oder schreib „{cancel}“.' },
  'ask.approve': { en: 'Approve', de: 'Genehmigen' },
  'ask.decline': { en: 'Decline', de: 'Ablehnen' },
  'ask.why': {
    en: '<@{user}> Why? Type the reason, or "{cancel}".',
    de: '<@{user}> Warum? Schreib den Grund, oder „{cancel}“.',
  },
  'ask.why_request': {
    en: '<@{user}> Why do you decline "{request}"? Type the reason, or "{cancel}".',
    de: '<@{user}> Warum lehnst du „{request}“ ab? Schreib den Grund, oder „{cancel}“.',
  },
  'ask.no_reason': { en: 'no reason given', de: 'ohne Angabe von Gründen' },
  'ask.expired': { en: 'Expired', de: 'Abgelaufen' },
  'ask.withdrawn': { en: 'Cancelled', de: 'Abgebrochen' },
  'ask.not_for_you': { en: 'These buttons are not for you.', de: 'Diese Knöpfe sind nicht für dich.' },
  'ask.restarted': {
    en: 'I restarted while waiting for your answer.',
    de: 'Ich wurde neu gestartet, während ich auf deine Antwort gewartet habe.',
  },
  'stream.restarted': {
    en: 'I restarted while writing.',
    de: 'Ich wurde neu gestartet, während ich geschrieben habe.',
  },
  'ask.please_begin_again': { en: 'Please start again: {again}', de: 'Fang bitte noch einmal an: {again}' },

  'pages.empty': { en: 'Nothing here yet.', de: 'Hier ist noch nichts.' },

  'run.cancelled': { en: 'This conversation was cancelled.', de: 'Das wurde abgebrochen.' },
  'run.upgraded': {
    en: 'This bot was updated, so this conversation has ended.',
    de: 'Dieser Bot wurde aktualisiert. Damit ist das hier zu Ende.',
  },
  'run.timed_out': {
    en: 'This conversation took longer than {time}, so it was stopped.',
    de: 'Das hat länger als {time} gedauert und ist daher zu Ende.',
  },

  'help.description': { en: 'Shows what this bot can do', de: 'Zeigt, was dieser Bot kann' },
  'help.same_as': { en: 'Same as {command}: {description}', de: 'Wie {command}: {description}' },
  'help.no_commands': { en: 'This bot has no commands.', de: 'Dieser Bot hat keine Befehle.' },
  'help.more': { en: '`{help} NAME` shows more about one command.', de: '`{help} NAME` zeigt mehr zu einem Befehl.' },
  'help.unknown': { en: 'There is no such command', de: 'Diesen Befehl gibt es nicht' },
  'help.all': { en: '`{help}` lists all commands.', de: '`{help}` zeigt alle Befehle.' },
  'help.example': { en: 'Example: `{example}`', de: 'Beispiel: `{example}`' },
  'help.also': { en: 'Also: {names}', de: 'Auch: {names}' },
  'help.default': { en: ' (default: {value})', de: ' (Standard: {value})' },
  'help.optional': { en: ' (optional)', de: ' (optional)' },
  'help.on': { en: 'on', de: 'an' },
  'help.page': { en: 'Page {page} of {pages}', de: 'Seite {page} von {pages}' },
  'help.next_page': { en: '{page}: `{command}` shows the next', de: '{page}: `{command}` zeigt die nächste' },
} as const satisfies Readonly<Record<string, Readonly<Record<OwnLanguage, Text>>>>

/** The key of a text: `cooldown.wait`. */
export type TextKey = keyof typeof table
