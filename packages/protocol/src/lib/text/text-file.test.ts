import { expect, test } from 'vitest'
import { decodeText } from './text-file.ts'

test('a text file in UTF-8 is read without its byte order mark', () => {
  for (const mark of ['', '\uFEFF'])
    expect(decodeText(Buffer.from(`${mark}NAME=Zoë 😀\n`), '.env')).toBe('NAME=Zoë 😀\n')
  expect(decodeText(new Uint8Array(), '.env')).toBe('')
})

test.each([
  ['little endian', Buffer.from('\uFEFFA=1', 'utf16le')],
  ['big endian', Buffer.from('\uFEFFA=1', 'utf16le').swap16()],
  ['without a byte order mark', Buffer.from('A=1', 'utf16le')],
  ['without ASCII', Buffer.from('\uFEFF日本', 'utf16le')],
  ['appended to UTF-8, as by >> in PowerShell', Buffer.concat([Buffer.from('A=1\n'), Buffer.from('B=2', 'utf16le')])],
  ['the byte order mark alone', Buffer.from('\uFEFF', 'utf16le')],
])('a text file in UTF-16 is refused: %s', (_case, bytes) => {
  expect(() => decodeText(bytes, '.env')).toThrow(
    expect.objectContaining({ code: 'ERR_CONFIG', message: '.env: is in UTF-16; save it as UTF-8' }),
  )
})
