import { guard } from '@botwright/framework'
import fines from '../state/fines.ts'

/** Who owes nothing. What is told may be looked up, too. */
export const owesNothing = guard({
  describe: 'only for people without fines',
  check: async (ctx) => (await fines.of(ctx).get()) === 0,
  refusal: async (ctx) => `Pay ${await fines.of(ctx).get()} coins first.`,
})

/** Whoever says what they take: a guard may read the args. */
export const namesBook = guard({
  describe: 'only for books that are there',
  check: async (ctx) => ctx.isCommand() && (await ctx.readArgs())['title'] !== 'Ulysses',
  refusal: (ctx) => (ctx.isCommand() ? `/${ctx.command}: all copies are out.` : ''),
})
