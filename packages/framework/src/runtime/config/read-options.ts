import type * as z from 'zod'
import { BotwrightError } from '@botwright/protocol/facts'
import { issueFact } from './config-schema.ts'
import { pluginsOf } from '../../author/plugins/plugin.ts'
import { misfitTexts } from '../../author/state/schema.ts'

/** Parses the options of each plugin with the plugin's schema. Rejects with `ERR_CONFIG`, naming the file and each invalid field. */
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

/** Describes the issues without the values: an option may be an API key. */
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

/** Whether a value can be cloned to the worker threads in which handlers run. */
function isPlain(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
