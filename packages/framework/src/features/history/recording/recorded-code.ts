import { readFileSync } from 'node:fs'
import { findSourceMap } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Verdict } from '../../../author/guards/guard.ts'
import { isThenable } from '../../../author/outgoing.ts'
import { inEnglish } from '../../../author/texts/phrase.ts'
import type { CodePlace, Layer } from '../../../bot/layer.ts'
import type { BotSource } from '../../../link/ports.ts'
import { type StepHead, stepHead } from '../../../link/recorded-step.ts'
import type { EventScope } from './event-scope.ts'
import { valueOf } from './recorded-store.ts'

/** Records the runs of a bot's code: each run of a guard, a middleware or a handler is a step. */
export function recordedCode(
  scope: EventScope,
  { modules }: Pick<BotSource, 'modules'>,
): Required<Pick<Layer, 'guard' | 'code'>> {
  return {
    guard(guard, file) {
      const rule = inEnglish(guard.describe)
      const note = (verdict: Verdict, t: number) => {
        const refused = verdict === true ? {} : { ...(verdict.leftMs !== undefined && { leftMs: verdict.leftMs }) }
        scope.note({ kind: 'guard', file, rule, passed: verdict === true, ...refused, t, ms: scope.now() - t })
      }
      return {
        ...guard,
        check(ctx, place) {
          const t = scope.now()
          const verdict = guard.check(ctx, place)
          if (!isThenable(verdict)) {
            note(verdict, t)
            return verdict
          }
          return verdict.then((one) => {
            note(one, t)
            return one
          })
        },
      }
    },

    code<A extends unknown[]>(run: (...given: A) => unknown, { kind, file }: CodePlace) {
      let head: StepHead | undefined
      return (...given: A): unknown => {
        head ??= stepHead({ kind, file, at: placeOf(run, file, modules[file]) })
        const input = kind === 'handler' ? inputOf(given[0]) : undefined
        const end = input
          ? scope.begin(`${head},"input":${input.json}` as StepHead, { long: input.long })
          : scope.begin(head)
        let result: unknown
        try {
          result = run(...given)
        } catch (error) {
          end()
          throw error
        }
        if (!isThenable(result)) {
          end()
          return result
        }
        return result.then(
          (value) => {
            end()
            return value
          },
          (error: unknown) => {
            end()
            throw error
          },
        )
      }
    },
  }
}

/** The args of a command, or the params of a button; undefined without any. */
function inputOf(ctx: unknown): ReturnType<typeof valueOf> {
  const { args, params } = ctx as { args?: object; params?: object }
  const value = args ?? params
  return value && Object.keys(value).length > 0 ? valueOf({ value }) : undefined
}

/** Where a function begins in the author's file: `commands/ping.ts:12`, or the file alone if that is unknown. */
function placeOf(run: (...given: never[]) => unknown, file: string, module: string | undefined): string {
  if (module === undefined) return file
  let code: string
  try {
    code = readFileSync(module, 'utf8')
  } catch {
    return file
  }
  const begin = code.indexOf(Function.prototype.toString.call(run))
  if (begin === -1) return file
  const before = code.slice(0, begin).split('\n')
  const row = before.length - 1
  const map = findSourceMap(pathToFileURL(module).href) ?? findSourceMap(module)
  if (!map) return module.replaceAll('\\', '/').endsWith(`/${file}`) ? `${file}:${row + 1}` : file
  const origin = map.findEntry(row, before[row]?.length ?? 0)
  return 'originalLine' in origin ? `${file}:${origin.originalLine + 1}` : file
}
