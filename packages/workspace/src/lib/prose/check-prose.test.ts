import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { checkProse, listProse, TO_DO, violationsIn } from './check-prose.ts'
import type { ProseKind } from './paragraphs.ts'

/** The phrases found in one line of this kind. */
const phrasesIn = (text: string, kind: ProseKind = 'strings') =>
  violationsIn('a.ts', { kind, lines: [{ line: 1, text }] }).map(({ phrase }) => phrase)

test.each([
  ['Nobody is told what to be', ['told', 'Nobody']],
  ['it hears nothing but direct messages', ['hears']],
  ['run it again once it is mended', ['mended']],
  ['the bot says that it is ready', ['says']],
  ['whoever leads polls the feed', ['whoever']],
  ['ids drawn by lot', ['by lot']],
  ['Texts are no kind', ['are no']],
  ['this is nothing for a rolling upgrade', ['is nothing for']],
  ['the file stands in commands', ['stands in']],
  ['the machine leads', ['machine leads']],
  ['the node died while it ran, 1 times', ['1 times']],
  ['it is not available any more', ['any more']],
  ['gives what the bot did upon it', ['gives what', 'upon']],
  ['has what is not known', []],
  ['What runs may finish within 10 s.', ['What runs', 'What runs may']],
])('finds the phrases in "%s"', (text, phrases) => {
  expect(phrasesIn(text)).toEqual(phrases)
})

test.each([
  'A person says hello, and you say goodbye',
  "as in expect(await ann.says('/ping'))",
  'framework say ann hello writes a message',
  'You can tell the two apart',
  'There is no limit',
  'It is no longer available',
  'What happens after 15 minutes?',
  'What to do next',
  'after 11 times, or 0.1 seconds',
])('accepts "%s"', (text) => {
  expect(phrasesIn(text)).toEqual([])
})

test('limits the words of a sentence on pages only', () => {
  const long = `${'word '.repeat(30)}end. Short.`
  expect(phrasesIn(long, 'docs')).toEqual(['word word word'])
  expect(phrasesIn(long, 'comments')).toEqual([])
  expect(phrasesIn(`${'word '.repeat(29)}end. ${'word '.repeat(29)}end.`, 'docs')).toEqual([])
})

const files = {
  'README.md':
    '# Told\n\nText over\ntwo lines any\nmore.\n\n```sh\nit is told\n```\n\n| a | nobody |\n\nA `told` word.\n',
  'packages/rest/src/a.ts': [
    '// Nobody reads it,',
    '// and it is told.',
    "export const text = 'it says no'",
    "export const name = 'says'",
    'export const template = `it ${name} tells`',
    'export const pattern = /is told/',
    "export const url = 'https://told nobody'",
  ].join('\n'),
  'packages/rest/src/a.test.ts': "test.each([1])('is told', () => send('is told'))\n",
  'packages/rest/page/a.tsx': 'export const a = <p>it hears you</p>\n',
}

test('reads pages, strings, comments and test titles, but no code', async () => {
  await using folder = await sampleFolder(files)
  const found = await listProse(folder.root, [])
  expect(found.map(({ kind, file, line, fact }) => `${kind} ${file}:${line} ${fact}`)).toEqual([
    'docs README.md:1 "Told"',
    'docs README.md:4 "any more"',
    'docs README.md:11 "nobody"',
    'strings packages/rest/page/a.tsx:1 "hears"',
    'comments packages/rest/src/a.test.ts:1 "told"',
    'strings packages/rest/src/a.ts:3 "says"',
    'strings packages/rest/src/a.ts:5 "tells"',
    'strings packages/rest/src/a.ts:7 "nobody"',
    'comments packages/rest/src/a.ts:2 "told"',
    'comments packages/rest/src/a.ts:1 "Nobody"',
  ])
  expect(await listProse(folder.root, ['packages/rest/page/'])).toHaveLength(1)
})

test('reads front matter, HTML and alt texts of a page, and no tags', async () => {
  const page = '---\ntitle: "Told"\n---\n\n<p class="told">Nobody</p>\n<img alt="is mended" />\n<!-- told -->\n'
  await using folder = await sampleFolder({ 'README.md': page })
  const found = await listProse(folder.root, [])
  expect(found.map(({ line, fact }) => `${line} ${fact}`)).toEqual(['2 "Told"', '5 "Nobody"', '6 "mended"'])
})

test('exempts entries of the to-do list, and rejects an entry without violations', async () => {
  const toDo = { docs: ['README.md'], strings: ['packages/rest', 'create-bot'], comments: ['packages/rest/src'] }
  await using folder = await sampleFolder({ ...files, [TO_DO]: JSON.stringify(toDo) })
  expect((await checkProse(folder.root)).map(({ file, fact }) => `${file} ${fact}`)).toEqual([
    `${TO_DO} "create-bot" has no violation left in its strings`,
  ])
})

test('allows a phrase next to its exception, and rejects an unused exception', async () => {
  await using folder = await sampleFolder({
    'README.md': '<!-- prose-ok: told -->\nHe was told.\n\n<!-- prose-ok: mend -->\nWell.\n',
    'a.ts': "// prose-ok: nobody\nexport const a = 'nobody came'\n",
  })
  expect((await checkProse(folder.root)).map(({ file, line, fact }) => `${file}:${line} ${fact}`)).toEqual([
    'README.md:4 allows "mend", which is not on the next line',
  ])
})

test('takes linear time for long text', () => {
  const started = performance.now()
  for (const part of ['told ', '. ', 'what ', 'is ', 'there ', '1 ', 'machine that ', '((', 'tell a b c d '])
    phrasesIn(part.repeat(20_000), 'docs')
  expect(performance.now() - started).toBeLessThan(10_000)
})
