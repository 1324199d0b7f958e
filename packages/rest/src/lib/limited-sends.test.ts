import { describe, expect, test } from 'vitest'
import { limitedSends, models } from './limited-sends.test.fixture.ts'

const none = Object.fromEntries(Object.keys(models).map((name) => [name, 0]))

// The long form: packages/workspace/soak/sends.mjs
describe('no model of "30 a minute" would have answered 429 [spec: 8/messages, decisions/40]', () => {
  test.each([1, 2, 3])('over 1000 messages (seed %d)', async (seed) => {
    const told = await limitedSends({ sends: 1000, seed })
    expect(told.refused).toEqual(none)
    // It did not pass by being idle.
    expect(told.perMinute).toBeGreaterThan(18)
  })

  test.each([1, 2, 3])('over 1000 messages of a bot that is killed 40 times (seed %d)', async (seed) => {
    const told = await limitedSends({ sends: 1000, kills: 40, seed })
    expect(told).toMatchObject({ kills: 40, refused: none })
  })

  test('without saved send times, each of them would', async () => {
    const { refused } = await limitedSends({ sends: 1000, kills: 40, seed: 1, keep: false })
    for (const count of Object.values(refused)) expect(count).toBeGreaterThan(0)
  })
})
