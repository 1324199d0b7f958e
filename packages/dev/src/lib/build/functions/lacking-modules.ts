import type { Metafile } from 'esbuild'
import { isBuiltin } from 'node:module'

/** Modules of Node that Workers lack, or have without their effect. */
const lacking = new Set([
  'child_process',
  'cluster',
  'dgram',
  'inspector',
  'repl',
  'sqlite',
  'v8',
  'vm',
  'worker_threads',
])

/** Whether an import names such a module. */
export const isLacking = (specifier: string): boolean =>
  isBuiltin(specifier) && lacking.has(specifier.replace(/^node:/, '').split('/')[0]!)

/** The imports of such modules in a bundle that packages make, in words. */
export function lackingImports({ inputs, outputs }: Metafile): string[] {
  const used = new Set(Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path)))
  return [...used].filter(isLacking).flatMap((path) => {
    const [input] = Object.entries(inputs).find(([, { imports }]) => imports.some((one) => one.path === path)) ?? []
    const [first = '', second] = input?.split('node_modules/').slice(1).at(-1)?.split('/') ?? []
    const name = first.startsWith('@') ? `${first}/${second}` : first
    return name === '' ? [] : [`the package ${name} imports ${path}, which does not exist in Workers`]
  })
}
