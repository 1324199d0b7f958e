import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from './chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)
const imported = `import { allOf, anyOf, command, cooldown, dmOnly, duration, hasRole, integer, list, not, oneOf, ownerOnly, rest, serverOnly, text, user } from ${framework}\n`

const files = {
  'commands/poll.ts': `${imported}
    export default command({
      description: 'Startet eine Umfrage',
      args: { farbe: oneOf('rot', 'blau'), minuten: integer({ min: 1, max: 60 }), zeit: duration({ max: '1d' }).optional() },
      run: (ctx) => ctx.args.farbe + ' ' + ctx.args.minuten,
    })`,
  'commands/wer.ts': `${imported} export default command({ args: { leute: list(user()) }, run: () => 'ja' })`,
  'commands/sag.ts': `${imported} export default command({ args: { was: text({ max: 3 }) }, run: () => 'ja' })`,
  'commands/privat.ts': `${imported} export default command({ guards: [dmOnly()], run: () => 'ja' })`,
  'commands/team.ts': `${imported}
    export default command({ guards: [anyOf([hasRole('Team'), ownerOnly()])], run: () => 'ja' })`,
  'commands/nie.ts': `${imported} export default command({ guards: [not(serverOnly())], run: () => 'ja' })`,
  'commands/oft.ts': `${imported} export default command({ guards: [cooldown('1h')], run: () => 'ja' })`,
  'commands/kaputt.ts': "export default () => { throw new Error('x') }",
  'commands/frage.ts': `${imported}
    export default async (ctx) => 'Du bist ' + (await ctx.ask('Wie alt bist du?', { as: integer({ min: 1 }), tries: 2 }))`,
  'commands/rolle/dazu.ts': "export default () => 'ja'",
}

test('a bot with the language de writes usage, refusals, questions, help and errors in German', slow, async () => {
  await using rig = await ChatRig.start(['ann', 'bob'])
  await rig.startBot(files, { config: { language: 'de' } })
  const answer = async (typed: string, person = 'bob') => {
    const before = (await rig.texts()).length
    await rig.says(person, typed)
    await rig.until(async () => (await rig.texts()).length > before + 1)
    return (await rig.texts()).at(-1)
  }
  expect(await answer('/poll')).toBe(
    'farbe fehlt: rot oder blau\nVerwendung: /poll <rot|blau> <minuten> [zeit]\nBeispiel: /poll rot 5',
  )
  expect(await answer('/poll rod 5')).toMatch(/^farbe ist ungültig; erwartet: rot oder blau; meintest du rot\?\n/)
  expect(await answer('/poll rot 99')).toMatch(/^minuten ist ungültig; erwartet: eine ganze Zahl von 1 bis 60\n/)
  // A person gets three such notices a minute.
  expect(await answer('/poll rot 5 2d', 'ann')).toMatch(
    /^zeit ist ungültig; erwartet: eine Dauer von höchstens 1 Tag\n/,
  )
  expect(await answer('/poll rot 5 1h 7 8', 'ann')).toMatch(/^zu viele Argumente|^zeit /)
  expect(await answer('/wer @ann @nobody')).toMatch(
    /^leute Nr\. 2 muss eine Person sein; auf diesem Server heißt niemand so/,
  )
  expect(await answer('/sag lang')).toMatch(/^was ist ungültig; erwartet: Text mit höchstens 3 Zeichen\n/)
  expect(await answer('/privat')).toBe('Das geht nur in Direktnachrichten.')
  expect(await answer('/team')).toBe('Das geht nur für Leute mit der Rolle Team oder den Besitzer dieses Bots.')
  expect(await answer('/nie')).toBe('Das geht nicht auf Servern.')
  expect(await answer('/oft')).toBe('ja')
  expect(await answer('/oft')).toMatch(/^Warte (?:1 Std\.|\d+ Min\.(?: \d+ s)?) und versuch es dann noch einmal\.$/)
  expect(await answer('/kaputt')).toMatch(/^Da ist etwas schiefgegangen \(Ref\. \w{4}\)\.$/)
  expect(await answer('/rolle')).toBe('/rolle braucht einen Unterbefehl\nVerwendung: /rolle dazu')
  expect(await answer('/help polll')).toBe(
    'Diesen Befehl gibt es nicht; meintest du `/help poll`?\n`/help` zeigt alle Befehle.',
  )
  expect(await answer('/help oft')).toMatch(/\nEinmal in 1 Std\. für jede Person\.$/)
  expect(await answer('/frage')).toBe('Wie alt bist du?')
  expect(await answer('x')).toBe(
    'Die Antwort ist ungültig; erwartet: eine ganze Zahl von mindestens 1. Zum Beispiel: 5. Versuch es noch einmal, oder schreib „abbrechen“.',
  )
  expect(await answer('Abbrechen')).toBe('Abgebrochen.')
})

test('notifies a user in the language of the bot that a restart ended a question', async () => {
  await using rig = await ChatRig.start()
  const options = { stateDir: join(rig.root, 'state'), config: { language: 'de' as const } }
  const bot = await rig.startBot(files, options)
  await rig.says('ann', '/frage')
  await rig.until(async () => (await rig.texts()).at(-1) === 'Wie alt bist du?')
  await bot.stop()
  await rig.startBot(files, options)
  await rig.until(async () =>
    / Ich wurde neu gestartet, .* Fang bitte noch einmal an: \/frage$/.test((await rig.texts()).at(-1) ?? ''),
  )
})
