import { type Rule, type RuleContext, rules } from './lib/lint/plugin.ts'

export type { Rule, RuleContext }

/** A plugin of a linter, as ESLint and oxlint load it. */
export interface LintPlugin {
  readonly meta: { readonly name: string }
  readonly rules: Readonly<Record<string, Rule>>
  readonly configs: {
    /** All rules, for a flat configuration of ESLint. */
    readonly recommended: {
      readonly plugins: Readonly<Record<string, LintPlugin>>
      readonly rules: Readonly<Record<string, 'error'>>
    }
  }
}

/** Rules for ESLint and oxlint. The names of the rules begin with `botwright/`. */
const plugin: LintPlugin = {
  meta: { name: 'botwright' },
  rules,
  configs: {
    get recommended() {
      const names = Object.keys(rules).map((name) => [`botwright/${name}`, 'error'] as const)
      return { plugins: { botwright: plugin }, rules: Object.fromEntries(names) }
    },
  },
}
export default plugin
