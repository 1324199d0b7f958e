import { expect, test } from 'vitest'
import { windowsProblem } from './portable-names.ts'

test.each(['con', 'PRN.ts', 'aux.d.ts', 'nul ', 'com1', 'lib/COM³.ts', 'lpt0/a.ts', 'conin$', 'Clock$', 'a.', 'a ', 'a./b', 'a:b', 'a?', 'a|b', '<a>'])(
  'Windows has no file %s',
  (path) => expect(windowsProblem(path)).toMatch(/Windows/),
) // prettier-ignore

test.each(['com', 'lpt10.ts', 'console.ts', 'a.con', 'null.ts', 'x con.ts', 'src/(group)/a.b.ts', '../a.ts', './.env'])(
  'every system may have a file %s',
  (path) => expect(windowsProblem(path)).toBeUndefined(),
)
