import { event, from, inChannel, not } from '@botwright/framework'

/** Questions in #support, except those of the people who answer them. */
export default event('message', {
  when: [inChannel('#support'), not(from('Staff')), (ctx) => ctx.content.endsWith('?')],
  run: (ctx) => ctx.react('🎫'),
})
