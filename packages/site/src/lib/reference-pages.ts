import { cell } from './interface-fields.ts'
import { type Module, type PublicName, readDeclarations } from './declarations.ts'
import type { Page } from './page.ts'
import { documented, subjectOrder, subjectsOf } from './reference-groups.ts'

/** Pages with every public name, from the docstrings; and the names without one. */
export async function referencePages(root: string): Promise<{ pages: Page[]; undocumented: string[] }> {
  const modules = await readDeclarations(root, documented)
  const undocumented = modules.flatMap(({ module, names }) =>
    names.filter(({ doc }) => doc === '').map(({ name }) => `${module}: ${name}`),
  )
  const [framework, ...others] = modules
  const subjectOf = await subjectsOf(root, framework!.source)
  const pages = subjectOrder.map((subject) => {
    const names = framework!.names.filter(({ name }) => subjectOf(name) === subject)
    return page(slug(subject), subject, `Exports of \`@botwright/framework\` for this subject.`, [
      { ...framework!, names },
    ])
  })
  const byPackage = groupBy(others)
  const packages = [...byPackage].map(([name, own]) =>
    page(name.slice('@botwright/'.length), name, `\`import { … } from '${name}'\``, own),
  )
  return { pages: [overview(modules, subjectOf), ...pages, ...packages], undocumented }
}

const packageOf = ({ module }: Module) => module.split('/').slice(0, 2).join('/')
/** The page of a subject differs from the page of a package: `events` is both. */
const slug = (title: string) => `framework/${title.toLowerCase().replaceAll(' ', '-')}`

function groupBy(modules: readonly Module[]): Map<string, Module[]> {
  const groups = new Map<string, Module[]>()
  for (const each of modules) groups.set(packageOf(each), [...(groups.get(packageOf(each)) ?? []), each])
  return groups
}

function page(to: string, title: string, about: string, modules: readonly Module[]): Page {
  const several = modules.length > 1
  const lines = modules.flatMap(({ module, names }) => [
    ...(several ? [`## ${module} {#module-${anchor(module)}}`, ''] : []),
    ...names.flatMap((name) => nameText(name, several ? `${anchor(module)}-` : '', several ? '###' : '##')),
  ])
  const text = [
    '---',
    'outline: [2, 3]',
    'pageClass: declarations',
    '---',
    '',
    `# ${title} {#page}`,
    '',
    about,
    '',
    ...lines,
  ].join('\n')
  return { to: `reference/${to}`, title, text }
}

const anchor = (module: string) => module.slice('@botwright/'.length).replaceAll(/[^\w]/g, '-')
/** The names of a value and a type may differ only in the case of the first letter: `button` and `Button`. */
const nameAnchor = (name: string) => (/^[A-Z]/.test(name) ? `type-${name.toLowerCase()}` : name.toLowerCase())

function nameText({ name, kind, doc, code, members }: PublicName, before: string, mark: string): string[] {
  const rows = members.map((member) => `| \`${member.name}\` | ${cell(inline(member.doc))} |`)
  return [
    `${mark} ${name} {#${before}${nameAnchor(name)}}`,
    '',
    inline(doc),
    '',
    ...['```ts', code, '```', ''],
    ...(rows.length > 0
      ? [
          kind === 'type' || kind === 'class' ? '| Field | Meaning |' : '| Name | Meaning |',
          '| --- | --- |',
          ...rows,
          '',
        ]
      : []),
  ]
}

/** A docstring as prose: `{@link x}` becomes code, tags of HTML and Vue stay text. */
const inline = (doc: string) =>
  doc
    .replaceAll(/\{@link (?<name>[^}]+)\}/g, '`$<name>`')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('')

function overview(modules: readonly Module[], subjectOf: (name: string) => string): Page {
  const framework = modules[0]!
  const rows = subjectOrder.flatMap((subject) => {
    const names = framework.names.filter(({ name }) => subjectOf(name) === subject)
    const links = names.map(({ name }) => `[\`${name}\`](/reference/${slug(subject)}#${nameAnchor(name)})`)
    return [`| [${subject}](/reference/${slug(subject)}) | ${links.join(' ')} |`]
  })
  const others = [...new Set(modules.map(packageOf))].filter((name) => name !== '@botwright/framework')
  const lines = [
    'Generated from the docstrings of the packages, which your editor also shows while you type.',
    '',
    ...['| `@botwright/framework` | Names |', '| --- | --- |', ...rows, ''],
    `Further packages: ${others.map((name) => `[\`${name}\`](/reference/${name.slice('@botwright/'.length)})`).join(', ')}.`,
    '',
  ]
  return { to: 'reference/', title: 'All names', text: ['# Reference', '', ...lines].join('\n') }
}
