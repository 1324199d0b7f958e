// Writes the pages of the documentation into the framework, for `framework docs` and `framework mcp`: an installed bot has no checkout to
// read them from. Run it after the compiler: compiled code inserts the tables.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { insert, wordsOf } from '../dist/lib/inserts.js'
import { limitRows } from '../dist/lib/interface-pages.js'
import { questionsOf } from '../dist/lib/questions.js'
import { folders } from '../dist/lib/site-map.js'
import { textRows } from '../dist/lib/text-rows.js'

const packages = fileURLToPath(new URL('../../', import.meta.url))
const tables = {
  limits: limitRows(JSON.parse(readFileSync(`${packages}protocol/dist/openapi.json`, 'utf8'))),
  agents: readFileSync(`${packages}site/docs/public/AGENTS.md`, 'utf8'),
  texts: textRows(),
}
const pages = folders.flatMap((folder) => {
  const docs = `${packages}${folder}/docs`
  return readdirSync(docs)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => pageOf(`${folder}/${basename(file, '.md')}`, readFileSync(`${docs}/${file}`, 'utf8')))
})
const questions = questionsOf(readFileSync(`${packages}site/docs/how-do-i.md`, 'utf8'))
for (const page of pages)
  page.questions = questions
    .filter((one) => posix.join('site/docs', one.page || 'how-do-i.md') === page.name.replace('/', '/docs/') + '.md')
    .map(({ question, anchor }) => ({ question, anchor }))
writeFileSync(`${packages}framework/page/docs.json.br`, brotliCompressSync(JSON.stringify(pages)))

/** The title is the first heading; the summary is the paragraph that follows it. */
function pageOf(name, file) {
  const written = file.replace(/^---\n[^]*?\n---\n/, '').replaceAll(/^<\/?div.*>\n/gm, '')
  const text = withPageNames(insert(written, tables, wordsOf), name.split('/')[0])
  const [, title = name] = /^# (.+)$/m.exec(text) ?? []
  const about = text
    .slice(text.indexOf(title) + title.length)
    .split(/\n\n+/)
    .find((part) => /^[A-Z`]/.test(part.trim()))
  return { name, title, about: (about ?? '').trim().replaceAll(/\s+/g, ' '), text }
}

/** Links to other pages name them as the list of pages does: the files are not in an installed bot. */
function withPageNames(text, folder) {
  return text.replaceAll(/\]\(([\w./-]+)\.md(#[\w-]+)?\)/g, (link, file, anchor = '') => {
    const [, owner, page] = /^([\w-]+)\/docs\/([\w-]+)$/.exec(posix.join(folder, 'docs', file)) ?? []
    return folders.includes(owner) ? `](docs://${owner}/${page}${anchor})` : link
  })
}
