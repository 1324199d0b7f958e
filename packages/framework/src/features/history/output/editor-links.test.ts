import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Timeline } from '@botwright/protocol/timeline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLinks } from './editor-links.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'links-'))
  writeFileSync(join(root, 'pay#1 now.ts'), '')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const linkOf = (at: string, template?: string): string | undefined =>
  withLinks({ steps: [{ kind: 'handler', at }] } as unknown as Timeline, root, template).steps[0]?.link

test('a link opens the line in VS Code, or in another editor', () => {
  const path = encodeURI(root.replaceAll('\\', '/').replace(/^\/?/, '/'))
  expect(linkOf('pay#1 now.ts:12')).toBe(`vscode://file${path}/pay%231%20now.ts:12`)
  expect(linkOf('pay#1 now.ts')).toBe(`vscode://file${path}/pay%231%20now.ts:1`)
  expect(linkOf('pay#1 now.ts:3', 'idea://open?file={file}&line={line}')).toBe(
    `idea://open?file=${path}/pay%231%20now.ts&line=3`,
  )
})

test('there is no link to a missing file, to one outside of the folder, or with an unusable template', () => {
  for (const at of ['gone.ts:1', '../../etc/passwd:1', '/etc/passwd', '', 'node:fs:3'])
    expect(linkOf(at), at).toBe(undefined)
  const script = ['javascript:alert(1)', ' JavaScript:alert(1)', 'java\tscript:alert(1)', 'vbscript:x', 'blob:x']
  for (const template of ['', 'no scheme', 'file://{file}', 'https://example.com/{file}', 'ssh://host', ...script])
    expect(linkOf('pay#1 now.ts', template)).toBe(undefined)
})
