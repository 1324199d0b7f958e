import fc from 'fast-check'

const pieces = [
  ...['..', '.', '/', '\\', '~', '@', ':', ' ', '-', '*', '?', '"', '%2e%2e', '$HOME', '`id`', ';'],
  ...[
    'con',
    'NUL',
    'aux.txt',
    'com1',
    'LPT9',
    'lpt³',
    'CONIN$',
    'prn ',
    'node_modules',
    '.git',
    '.npmrc',
    'C:',
    '\\\\?\\',
  ],
  ...[
    '\u0000',
    '\n',
    '\t',
    '\u001b[2J',
    '\u007f',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\u2028',
    '\ud800',
    'é',
    'e\u0301',
    'ß',
    '🤖',
  ],
  ...['my-bot', 'Bot', 'a', 'x'.repeat(70), '@acme/bot', 'bot.js', '0', '__proto__', 'favicon.ico', 'vitest'],
]

/** Names that a user or a program might pass for a bot. */
export const nastyNames: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => some.join('')) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((some) => some.join('/')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-zA-Z][\w .-]{0,40}$/) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
)
