// Warns about buttons that no file in buttons/ defines: they type-check and load, and fail when a handler uses them.

import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AnyNode } from 'acorn'
import { parseSource } from '../compile/syntax.ts'

const code = /\.[cm]?[jt]sx?$/
const notCode = /\.(?:test|spec|d)\.[cm]?[jt]sx?$/
const inButtons = /(?:^|\/)buttons\//

/** The warnings for the files of a bot, such as `lib/more.ts:3:14: …`. Their code has compiled before. */
export async function buttonWarnings(root: string, files: ReadonlySet<string>): Promise<string[]> {
  const sources = await Promise.all(
    [...files]
      .filter((file) => code.test(file) && !notCode.test(file))
      .map(async (file) => ({ file, source: await readFile(join(root, file), 'utf8') })),
  )
  const ofButtons = sources.filter(({ file }) => inButtons.test(file))
  const others = sources.filter(
    ({ file, source }) =>
      !inButtons.test(file) &&
      /\bbutton\b/.test(source) &&
      source.includes('@botwright/framework') &&
      // A file in buttons/ may export it.
      !ofButtons.some((one) => one.source.includes(`/${basename(file).replace(code, '')}`)),
  )
  const warnings = others.map(async ({ file, source }) => {
    // A file that the bot does not load may have errors.
    const parsed = await parseSource(source, file).catch(() => undefined)
    if (!parsed) return []
    const { program, placeOf } = parsed
    return buttonsOf(program).map((node) => {
      const { line, column } = placeOf(node)
      return `${file}:${line}:${column}: this button has no file: make it the default export of a file under buttons/`
    })
  })
  return (await Promise.all(warnings)).flat()
}

/** The calls of `button()` whose results are variables of the module. */
function buttonsOf(program: AnyNode): AnyNode[] {
  const { body = [] } = program as { body?: AnyNode[] }
  const names = new Set(
    body.flatMap((one) =>
      one.type === 'ImportDeclaration' && one.source.value === '@botwright/framework'
        ? one.specifiers.flatMap((each) =>
            each.type === 'ImportSpecifier' && each.imported.type === 'Identifier' && each.imported.name === 'button'
              ? [each.local.name]
              : [],
          )
        : [],
    ),
  )
  return body.flatMap((one) => {
    const declared = one.type === 'ExportNamedDeclaration' ? one.declaration : one
    if (declared?.type !== 'VariableDeclaration') return []
    return declared.declarations.flatMap(({ init }) =>
      init?.type === 'CallExpression' && init.callee.type === 'Identifier' && names.has(init.callee.name) ? [init] : [],
    )
  })
}
