import { isCode, readText, sourceFiles } from '../source-files.ts'
import type { Violation } from './violation.ts'

const CEILING = 400
const LONG = { lines: 300, share: 0.95 }
const USUAL = { lines: 100, share: 0.5 }
/** Tables and grammars are for lookup, not for reading from top to bottom. A comment in the first lines marks them. */
const EXEMPT = /^\s*(?:\/\/|\/?\*+)\s*size: (?:table|grammar)\b/m
const FIRST_LINES = 5

/** Limits the length of programs: all at most 400 lines, 95 % at most 300, half at most 100. */
export async function checkSizes(root: string): Promise<Violation[]> {
  const sizes: { file: string; lines: number }[] = []
  for (const file of (await sourceFiles(root)).filter(isCode)) {
    const lines = (await readText(root, file)).replace(/\n$/, '').split('\n')
    if (!EXEMPT.test(lines.slice(0, FIRST_LINES).join('\n'))) sizes.push({ file, lines: lines.length })
  }
  const tooLong = sizes
    .filter(({ lines }) => lines > CEILING)
    .map(({ file, lines }) => ({
      file,
      fact: `has ${lines} lines; the limit is ${CEILING}`,
      fix: 'split it by subject, or write `// size: table` or `// size: grammar` at the top if it is one',
    }))
  return [...tooLong, ...tooMany(sizes, LONG), ...tooMany(sizes, USUAL)]
}

/** With fewer files, shares are meaningless. */
const FEWEST_FILES = 20

function tooMany(sizes: { file: string; lines: number }[], { lines: limit, share }: typeof LONG): Violation[] {
  const over = sizes.filter(({ lines }) => lines > limit).sort((a, b) => a.lines - b.lines)
  const allowed = Math.floor(sizes.length * (1 - share) + 1e-9)
  const [easiest] = over
  if (sizes.length < FEWEST_FILES || over.length <= allowed || !easiest) return []
  return [
    {
      file: easiest.file,
      fact: `${over.length} of ${sizes.length} files have more than ${limit} lines; ${allowed} may`,
      fix: `split ${over.length - allowed} of them: ${over
        .slice(0, 5)
        .map(({ file, lines }) => `${file} (${lines})`)
        .join(', ')}`,
    },
  ]
}
