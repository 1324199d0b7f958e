import { expect, test } from 'vitest'
import { timezoneOf } from './timezone.ts'

test('takes a zone or the name of a variable, and reports a missing or invalid variable without its value', () => {
  const at = (env: Record<string, unknown>) => () => timezoneOf({ env: 'TEAM_ZONE' }, env, 'languages')
  expect(timezoneOf('Europe/Berlin', undefined, 'languages')).toBe('Europe/Berlin')
  expect(at({ TEAM_ZONE: 'Asia/Tokyo' })()).toBe('Asia/Tokyo')
  expect(at({})).toThrow('languages: timezone: there is no variable TEAM_ZONE: declare it in env of bot.config.ts')
  const wrong = 'languages: timezone: the variable TEAM_ZONE is not a time zone; write TEAM_ZONE=Europe/Berlin'
  for (const TEAM_ZONE of ['Mars/Olympus', 7]) expect(at({ TEAM_ZONE })).toThrow(wrong)
})
