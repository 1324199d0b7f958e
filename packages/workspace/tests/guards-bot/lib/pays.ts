import { guard } from '@botwright/framework'
import fines from '../state/fines.ts'

/** People without fines. A refusal can load data too. */
export const owesNothing = guard({
  describe: 'only for people without fines',
  check: async (ctx) => (await fines.of(ctx).get()) === 0,
  refusal: async (ctx) => `Pay ${await fines.of(ctx).get()} coins first.`,
})

/** A guard can read the args of a command. */
export const namesBook = guard({
  describe: 'only for available books',
  check: async (ctx) => ctx.isCommand() && (await ctx.readArgs())['title'] !== 'Ulysses',
  refusal: (ctx) => (ctx.isCommand() ? `/${ctx.command}: all copies are out.` : ''),
})
