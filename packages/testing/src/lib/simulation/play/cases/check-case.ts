import type { Mode, PlayCase } from './case.ts'
import { FoundList, type Found } from '../found.ts'
import type { PlayBot } from '../play-bot.ts'
import { play } from '../play.ts'
import type { Played, Variant } from '../played.ts'

/** The result of a case, which some modes play several times. */
export interface Checked {
  found: Found[]
  played: Played
}

type At = Variant['at']

/** Another time zone: on the other side of the date line. */
const ZONE = 'Pacific/Auckland'

/** Plays a case, and compares it with plays in which one thing is different that must not matter. */
export async function checkCase(bot: PlayBot, one: PlayCase, { at }: { at?: At } = {}): Promise<Checked> {
  const played = await play(bot, one, { at })
  const found = new FoundList(bot.places)
  played.windows.many(bot, found)
  // A second play shows nothing about a bot that fails already.
  if (one.mode !== 'faults' && played.found.every(({ severity }) => severity === 'warning'))
    await twins[one.mode](bot, one, played, found)
  return { found: [...played.found, ...found.all], played }
}

type Twin = (bot: PlayBot, one: PlayCase, base: Played, found: FoundList) => Promise<void>

const twins: Record<Exclude<Mode, 'faults'>, Twin> = {
  restart: async (bot, one, base, found) => {
    const third = Math.max(1, Math.floor(one.acts.length / 4))
    const restarts = [1, 2, 3].map((i) => i * third)
    const other = await play(bot, one, { restarts })
    const [first = Infinity] = other.restarted
    const index = await difference(bot, one, { base, other, from: first })
    if (index === undefined) return
    const place = placeOf(bot, one, base, index)
    found.add(
      'restart',
      bot.places.ofVariable(place.file) ?? place,
      `after a restart, ${named(one, base, index)} gets ${quote(other, index)} instead of ${quote(base, index)}; keep it in a state`,
      { act: index },
    )
  },
  alone: async (bot, one, base, found) => {
    const first = one.acts.find(({ place }) => place !== 'dm')?.person
    const without = one.acts.find(({ person }) => person !== first)?.person
    if (first === undefined || without === undefined) return
    const other = await play(bot, one, { without })
    const own = (index: number) => one.acts[index]!.person === first
    const index = await difference(bot, one, { base, other, only: own })
    if (index === undefined) return
    // Values in states may be meant for everyone; a variable that people share is not.
    const variable = bot.places.ofVariable(placeOf(bot, one, base, index).file)
    if (variable)
      found.add(
        'others',
        variable,
        `${named(one, base, index)} gets ${quote(base, index)}, but ${quote(other, index)} if a stranger in direct messages does nothing: this variable is shared by all people`,
        { act: index },
      )
  },
  zone: async (bot, one, base, found) => {
    const other = await play(bot, one, { zone: ZONE })
    const index = await difference(bot, one, { base, other })
    if (index === undefined) return
    const place = other.localTime.get(index) ?? placeOf(bot, one, base, index)
    found.add(
      'time_zone',
      place,
      `${named(one, base, index)} gets ${quote(base, index)} on a computer in UTC, but ${quote(other, index)} in ${ZONE}; name the time zone, or use the UTC methods`,
      { act: index },
    )
  },
  together: async (bot, one, base, found) => {
    const first = await play(bot, one, { order: 'first' })
    const second = await play(bot, one, { order: 'second' })
    const text = ({ windows }: Played, index: number) => JSON.stringify([windows.of(index), windows.of(index + 1)])
    for (let index = 0; index + 1 < one.acts.length; index += 2) {
      const both = text(base, index)
      const serial = [text(first, index), text(second, index)]
      if (serial.every((each) => each === both)) continue
      // Later acts depend on which of these came first.
      if (serial.includes(both)) return
      // An answer that depends on random numbers differs in each order.
      for (const salt of [1, 2, 3]) if (text(await play(bot, one, { salt }), index) !== both) return
      const wrong =
        JSON.stringify(base.windows.of(index)) !== JSON.stringify(first.windows.of(index)) ? index : index + 1
      const place = placeOf(bot, one, base, wrong)
      found.add(
        'at_once',
        bot.places.ofVariable(place.file) ?? place,
        `two people at once: ${named(one, base, index)} and ${named(one, base, index + 1)} get ${quote(base, index)} and ${quote(base, index + 1)}; one after the other, ${quote(first, index)} and ${quote(first, index + 1)}`,
        { act: index + 1 },
      )
      return
    }
  },
}

interface Compared {
  base: Played
  other: Played
  from?: number
  only?: (index: number) => boolean
}

/** The first act with another result; undefined if there is none, or if the bot does not answer alike twice. */
async function difference(
  bot: PlayBot,
  one: PlayCase,
  { base, other, from = 0, only = () => true }: Compared,
): Promise<number | undefined> {
  const text = ({ windows }: Played, index: number) => JSON.stringify(windows.of(index))
  const index = one.acts.findIndex((_, i) => i >= from && only(i) && text(base, i) !== text(other, i))
  if (index === -1) return undefined
  const again = await play(bot, one)
  return text(again, index) === text(base, index) ? index : undefined
}

/** The file that answered an act: of its command, or of the newest command before it in the same place. */
function placeOf(bot: PlayBot, { acts }: PlayCase, base: Played, index: number): { file: string } {
  const act = acts[index]!
  const handled = base.windows.fileOf(index)
  if (handled !== undefined) return { file: handled }
  for (let i = index; i >= 0; i--) {
    const one = acts[i]!
    const file = one.do === 'say' && one.place === act.place ? bot.fileOf(one.text) : undefined
    if (file !== undefined) return { file }
  }
  return { file: bot.definitions[0]?.file ?? 'the bot' }
}

const MOST = 120
const quote = ({ windows }: Played, index: number): string => {
  const text = windows.of(index).join(' | ').replaceAll('\n', ' ⏎ ')
  if (text === '') return 'no answer'
  return `"${text.length > MOST ? `${text.slice(0, MOST)}…` : text}"`
}

/** A act in words. */
function named({ acts }: PlayCase, { said }: Played, index: number): string {
  const act = acts[index]!
  if (act.do === 'say') {
    const text = said.get(index) ?? act.text
    return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`
  }
  return {
    click: 'a click',
    react: 'a reaction',
    edit: 'an edit',
    delete: 'a deleted message',
    leave: 'a person who leaves',
  }[act.do]
}
