import { kinds, type Change, type Kind } from './change-files.ts'

const HEADINGS: Record<Kind, string> = { major: 'Breaking', minor: 'New', patch: 'Fixed' }

/** The section of one package and one version; a package without its own changes gets the shared version. */
export function changelogSection(version: string, changes: readonly Change[]): string {
  const groups = kinds.flatMap((kind) => {
    const texts = changes.filter((change) => change.kind === kind).map(({ text }) => asItem(text))
    return texts.length === 0 ? [] : [`### ${HEADINGS[kind]}`, texts.join('\n')]
  })
  if (groups.length === 0) groups.push('No changes in this package: all packages share one version.')
  return [`## ${version}`, ...groups].join('\n\n')
}

/** `before` is the current file, or empty if there is none. The newest version comes first. */
export function withSection(before: string, name: string, section: string): string {
  const title = `# ${name}`
  const older = before.startsWith(title) ? before.slice(title.length).trim() : before.trim()
  return [title, section, ...(older === '' ? [] : [older])].join('\n\n') + '\n'
}

const asItem = (text: string): string =>
  `- ${text
    .split('\n')
    .map((line, at) => (at === 0 || line === '' ? line : `  ${line}`))
    .join('\n')}`
