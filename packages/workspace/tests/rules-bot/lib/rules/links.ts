import type { Rule } from '../rule.ts'

const links: Rule = (ctx) => (/https?:\/\//i.test(ctx.content) ? 'no links, please' : undefined)
export default links
