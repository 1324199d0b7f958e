import { BotwrightError } from '@botwright/protocol'
import { expect, test } from 'vitest'
import { describeCrash } from './crash.ts'

const env = { BOT_TOKEN: 'very-secret-token', DB_PASSWORD: 'hunter2hunter2', HOME: '/home/ann' }

test('prints an unexpected error with its stack and causes, without secrets, and with where to report it', () => {
  const cause = new Error('no connection with hunter2hunter2')
  const text = describeCrash(new Error('the token very-secret-token in /home/ann', { cause }), env)
  expect(text).toMatch(/^Error: the token \[secret\] in \/home\/ann\n +at .*crash\.test\.ts:\d+/)
  expect(text).toMatch(/\ncaused by Error: no connection with \[secret\]\n +at /)
  expect(text).toContain('npm bugs @botwright/framework')
  expect(text).not.toMatch(/very-secret|hunter2/)
})

test('prints only the message of an error that the user can fix', () => {
  expect(describeCrash(new BotwrightError('ERR_CONFIG', '.env: cannot be read'), env)).toBe('.env: cannot be read\n')
})

test.each([
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ code: 1 }, '{ code: 1 }'],
])('prints any thrown value: %j', (thrown, text) => {
  expect(describeCrash(thrown, env).split('\n')[0]).toBe(text)
})
