import { expect, test } from 'vitest'
import { namesThisMachine } from './http-servers.ts'

test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:7420', '[::1]:7420', '10.0.0.7', 'bot.internal:9090'])(
  'accepts %s',
  (header) => expect(namesThisMachine(header, 'bot.internal')).toBe(true),
)

test.each(['', 'evil.example', 'evil.example:7420', 'localhost.evil.example', '127.0.0.1.evil.example', '[evil]'])(
  'refuses %j',
  (header) => expect(namesThisMachine(header, '127.0.0.1')).toBe(false),
)

test('accepts the name that it is bound to in any case: browsers send it in lower case', () => {
  expect(namesThisMachine('anns-macbook.local:7420', 'Anns-MacBook.local')).toBe(true)
  expect(namesThisMachine('ANNS-MACBOOK.local', 'anns-macbook.local')).toBe(true)
})
