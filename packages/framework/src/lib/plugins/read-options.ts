import { BotwrightError } from '@botwright/protocol/facts'
import type { z } from 'zod'
import { issueFact } from '../config-schema.ts'
import { pluginsOf } from './plugin.ts'

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
      for (const issue of (result.error?.issues ?? []) as readonly z.core.$ZodIssue[])
        faults.push(issueFact({ ...issue, path: ['plugins', name, ...issue.path] }, file))
    } else if (isPlain(result.data)) read[name] = { options: result.data }
    else
      faults.push(
        `${file}: plugins.${name} has an option that cannot reach its handlers, which run in a thread of their own (a function?); give plain values`,
      )
  }
  if (faults.length > 0) throw new BotwrightError('ERR_CONFIG', faults.join('\n'))
  return read
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
