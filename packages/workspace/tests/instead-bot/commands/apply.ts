import { command, embed, integer, oneOf, text } from '@botwright/framework'

/** A form: one question after the other, in direct messages. Each answer is checked at once. */
export default command({
  description: 'Applies for the team',
  run: async (ctx) => {
    const about = { in: 'dm', timeout: '10m' } as const
    const name = await ctx.ask('What is your name?', { ...about, as: text({ max: 80 }) })
    const age = await ctx.ask('How old are you?', { ...about, as: integer({ min: 13, max: 120 }) })
    const role = await ctx.ask('Do you want to write, or to moderate?', { ...about, as: oneOf('write', 'moderate') })
    const fields = Object.entries({ Name: name, Age: String(age), Role: role })
    return { embeds: [embed({ title: 'Application', fields: fields.map(([name, value]) => ({ name, value })) })] }
  },
})
