import type * as z from 'zod'
import { BotwrightError } from '@botwright/protocol/facts'
import { issueFact } from './config-schema.ts'
import { pluginsOf } from '../../author/plugins/plugin.ts'
import { misfitTexts } from '../../author/state/schema.ts'

/**
 * Checks the options of each plugin by its own schema, and gives what the schemas make of them.
 * Rejects with `ERR_CONFIG`, naming the file and each wrong field.
 */
export async function readPluginOptions(config: unknown, file: string): Promise<Record<string, { options: unknown }>> {
  const faults: string[] = []
  const read: Record<string, { options: unknown }> = {}
  for (const [name, { plugin, options }] of pluginsOf(config)) {
    if (!plugin.options) {
      const known = typeof options === 'object' && options !== null && Object.keys(options).length === 0
      if (!known) faults.push(`${file}: plugins.${name} takes no options; remove them`)
      read[name] = { options: {} }
      continue
    }
    const result = await plugin.options.safeParseAsync(options)
    if (!result.success) {
      faults.push(...optionFaults((result.error?.issues ?? []) as readonly z.core.$ZodIssue[], options, { name, file }))
    } else if (isPlain(result.data)) read[name] = { options: result.data }
    else
      faults.push(
        `${file}: plugins.${name} has an option that cannot be passed to its handlers, which run in another thread (a function?); use plain values`,
      )
  }
  if (faults.length > 0) throw new BotwrightError('ERR_CONFIG', faults.join('\n'))
  return read
}

/** An option may be a key of some service: what is wrong with it is told without it. */
function optionFaults(
  issues: readonly z.core.$ZodIssue[],
  options: unknown,
  { name, file }: { name: string; file: string },
): string[] {
  const at = ['plugins', name]
  const unknown = issues.filter(({ code }) => code === 'unrecognized_keys')
  const others = issues
    .filter(({ code }) => code !== 'unrecognized_keys')
    .map(({ message, path }) => ({ message, path: [...at, ...path] }))
  return [
    ...misfitTexts(others, { plugins: { [name]: options } }, { secret: true }).map((text) => `${file}: ${text}`),
    ...unknown.map((issue) => issueFact({ ...issue, path: [...at, ...issue.path] }, file)),
  ]
}

/** Handlers run in worker threads: what they are given is cloned. */
function isPlain(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
