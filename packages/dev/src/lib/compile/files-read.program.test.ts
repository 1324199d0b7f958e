// @module-tag all/commands
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev } from '../dev-process.test.fixture.ts'
import { untilPrinted } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

const files = {
  'bot.config.ts': "export default { assets: ['more'] }",
  'assets/banner.txt': 'banner 1',
  'jokes/one.txt': 'joke',
  'more/far.txt': 'far 1',
  'data/count.txt': '0',
  'commands/top.ts': `import { readFileSync } from 'node:fs'
const banner = readFileSync(new URL('../assets/banner.txt', import.meta.url), 'utf8')
export default () => banner`,
  'commands/list.ts': `import { readdirSync } from 'node:fs'
import { join } from 'node:path'
const names = readdirSync(join(import.meta.dirname, '../jokes')).sort()
export default () => names.join()`,
  'commands/far.ts': `import { readFileSync } from 'node:fs'
const [place] = ['../more/far.txt']
const far = readFileSync(new URL(place!, import.meta.url), 'utf8')
export default () => far`,
  'commands/count.ts': `import { readFileSync, writeFileSync } from 'node:fs'
const file = new URL('../data/count.txt', import.meta.url)
let loaded = 0
export default () => {
  writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1))
  return \`\${++loaded} \${readFileSync(file, 'utf8')}\`
}`,
  'texts/en.txt': 'en',
  'lib/store.ts': `import { appendFileSync } from 'node:fs'
export const openStore = (file: URL) => () => appendFileSync(file, 'x')`,
  'commands/word.ts': `import { readFileSync } from 'node:fs'
import { openStore } from '../lib/store.ts'
const store = openStore(new URL('../texts/store.db', import.meta.url))
const [language] = ['en']
let loaded = 0
export default () => {
  store()
  return \`\${++loaded} \${readFileSync(new URL(\`../texts/\${language}.txt\`, import.meta.url), 'utf8')}\`
}`,
  'more/total.txt': '0',
  'commands/total.ts': `import { readFileSync, writeFileSync } from 'node:fs'
const file = new URL('../more/total.txt', import.meta.url)
let loaded = 0
export default () => {
  writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1))
  return \`\${++loaded} \${readFileSync(file, 'utf8')}\`
}`,
  'lib/page.ts': `export const page = (name: string) => import(\`../pages/\${name}.txt\`) as Promise<{ default: string }>`,
  'pages/one.txt': 'page one',
  'commands/page.ts': `import { page } from '../lib/page.ts'
export default async () => (await page('two').catch(() => page('one'))).default`,
  'data/elsewhere.txt': '0',
  'lib/elsewhere.ts': `import { readFileSync } from 'node:fs'
export const place = new URL('../data/elsewhere.txt', import.meta.url)
export const current = () => readFileSync(place, 'utf8')`,
  'commands/elsewhere.ts': `import { writeFileSync } from 'node:fs'
import { current, place as target } from '../lib/elsewhere.ts'
let loaded = 0
export default () => {
  writeFileSync(target, String(Number(current()) + 1))
  return \`\${++loaded} \${current()}\`
}`,
  'data/handed.txt': '0',
  'lib/counter.ts': `import { readFileSync, writeFileSync } from 'node:fs'
export const increase = (file: URL) => writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1))`,
  'commands/handed.ts': `import { readFileSync } from 'node:fs'
import { increase } from '../lib/counter.ts'
const file = new URL('../data/handed.txt', import.meta.url)
let loaded = 0
export default () => {
  increase(file)
  return \`\${++loaded} \${readFileSync(file, 'utf8')}\`
}`,
  'data/whole.txt': '0',
  'commands/whole.ts': `import { readFileSync, renameSync, writeFileSync } from 'node:fs'
const file = new URL('../data/whole.txt', import.meta.url)
let loaded = 0
export default () => {
  const next = \`\${file.pathname}.next\`
  writeFileSync(next, String(Number(readFileSync(file, 'utf8')) + 1))
  renameSync(next, file)
  return \`\${++loaded} \${readFileSync(file, 'utf8')}\`
}`,
}

test('dev reloads the code that reads a changed file, as for an imported one', async () => {
  await using draft = await BotDraft.make(files)
  await using dev = await startDev(draft)
  await untilPrinted(dev, /Chat +http/)
  const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
  const reloads = () => dev.output().split('↻').length - 1
  /** Other files may load in the background, and read the new file by themselves: so the reload is awaited too. */
  const answers = async (command: string, text: string, reload: number) => {
    await expect.poll(reloads).toBe(reload)
    expect(await ann.answerTo(command)).toBe(text)
  }
  expect(await ann.answerTo('/top')).toBe('banner 1')
  await draft.write({ 'assets/banner.txt': 'banner 2' })
  await answers('/top', 'banner 2', 1)
  expect(dev.output()).toContain('↻ commands/top.ts')
  // A new file in a folder that the code lists.
  await draft.write({ 'jokes/two.txt': 'another' })
  await answers('/list', 'one.txt,two.txt', 2)
  // A file that only the configuration names.
  await draft.write({ 'more/far.txt': 'far 2' })
  await answers('/far', 'far 2', 3)
  expect(dev.output()).not.toContain('bot.config.ts')
  // Files that the bot writes: one of its own module, one that another replaces, so that it is always whole, files that other modules write,
  // and one in its assets. Then a folder with a file that other functions may write.
  for (const time of [1, 2]) {
    for (const command of ['/count', '/whole', '/elsewhere', '/handed', '/total'])
      await answers(command, `${time} ${time}`, 3)
    await answers('/word', `${time} en`, 3)
  }
  // The next reload is that of another file.
  await draft.write({ 'assets/banner.txt': 'banner 3' })
  await answers('/top', 'banner 3', 4)
  expect(dev.output().split('↻').at(-1)).toMatch(/^ commands\/top\.ts {2}/)
  // A new text for a pattern.
  await answers('/page', 'page one', 4)
  await draft.write({ 'pages/two.txt': 'page two' })
  await answers('/page', 'page two', 5)
  // A text that does not exist when it is imported.
  await draft.write({ 'commands/top.ts': "import late from '../texts/late.md'\nexport default () => late" })
  await untilPrinted(dev, 'Could not resolve')
  await draft.write({ 'texts/late.md': 'late' })
  await answers('/top', 'late', 6)
})
