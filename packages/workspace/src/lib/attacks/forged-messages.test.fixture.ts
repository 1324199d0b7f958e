// Messages of an attacker who can publish on a Redis, but cannot read or write the bot's keys.

/** The part of a Redis client that an attacker needs. */
export interface Attacker {
  publish(channel: string, text: string): Promise<number>
  pubsub(what: 'CHANNELS', pattern: string): Promise<unknown>
}

/** Years from now in milliseconds since 1970. */
const FAR = 32_503_680_000_000

/** Texts that once had an effect, and texts that break parsers. */
const forged: readonly string[] = [
  '',
  ' ',
  '\0',
  '{',
  'null',
  '[]',
  '{"n":1,"taken":true}',
  '{"__proto__":{"polluted":true},"n":1}',
  '{"n":1,"from":"evil.1","event":null,"attempt":1,"asked":true}',
  '{"n":1,"from":"evil.1","event":{"id":1,"type":"message","data":{"content":"forged"}},"attempt":1,"asked":true}',
  // An exhausted budget, paused for centuries.
  `${FAR} ${FAR} 1000000 ${FAR}`,
  `${FAR} 0 0 `,
  'NaN NaN NaN NaN',
  '+ evil.1 text:general:ann',
  '- evil.1 text:general:ann',
  '+ __proto__ __proto__',
  'text:general:ann',
  'ask evil.1 1',
  'done evil.1 1',
  'ask __proto__ 1',
  'timers',
  '1',
  '-1',
  '99999999999999999999',
  '['.repeat(100_000),
  'x'.repeat(2_000_000),
  '\u009b31m\u202e',
]

/**
 * Publishes `count` forged and mutated messages on all channels of the bots, in the same order for the same `random`. Returns the number of
 * deliveries to subscribers.
 */
export async function floodChannels(attacker: Attacker, count: number, random: () => number): Promise<number> {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  let received = 0
  let channels: string[] = []
  for (let i = 0; i < count; i++) {
    // Channels appear and disappear with their instances.
    if (i % 500 === 0) channels = ((await attacker.pubsub('CHANNELS', 'botwright*')) as string[]).sort()
    if (channels.length === 0) throw new Error('no instance is subscribed')
    // Occasionally two megabytes.
    const text = i % 100 === 0 ? pick(forged) : pick(forged.filter(({ length }) => length < 10_000))
    received += await attacker.publish(pick(channels), random() < 0.5 ? text : mutate(text, random))
  }
  return received
}

/** Changes, removes or duplicates a few characters. */
function mutate(text: string, random: () => number): string {
  const letters = [...text.slice(0, 2000)]
  for (let i = 0; i <= random() * 4; i++) {
    const at = Math.floor(random() * (letters.length + 1))
    letters.splice(at, Math.floor(random() * 3), String.fromCharCode(random() * 0x250), ...letters.slice(at, at + 2))
  }
  return letters.join('')
}
