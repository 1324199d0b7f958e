// The rules of Botwright for ESLint and oxlint, which pass the same syntax trees.

import type { AnyNode, Node } from 'acorn'
import { durableFindings, isDurable } from './durable-calls.ts'
import type { Finding } from './finding.ts'
import { resourceFindings } from './module-resources.ts'
import { unawaitedFindings } from './unawaited-calls.ts'

/** The argument of a rule. */
export interface RuleContext {
  readonly filename: string
  report(problem: { node: Node; message: string }): void
}

/** A rule as ESLint and oxlint load it. */
export interface Rule {
  readonly meta: { readonly type: 'problem'; readonly docs: { readonly description: string } }
  create(context: RuleContext): { Program(program: Node): void }
}

const rule = (description: string, find: (program: AnyNode, file: string) => Finding[]): Rule => ({
  meta: { type: 'problem', docs: { description } },
  create: (context) => ({
    Program: (program) => {
      for (const finding of find(program as AnyNode, context.filename)) context.report(finding)
    },
  }),
})

/** The rules by their names: `botwright/await-context` and so on. */
export const rules = {
  'await-context': rule('Await every call of the context, of states and of tasks', unawaitedFindings),
  'durable-code': rule('In a durable handler, use the clock and the random numbers of the context', (program) =>
    isDurable(program) ? durableFindings(program) : [],
  ),
  'no-module-resources': rule('Open connections and timers in resources/', resourceFindings),
} as const
