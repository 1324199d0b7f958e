import { directMessage, event } from '@botwright/framework'

export default event('message', {
  otherwise: true,
  when: directMessage(),
  run: (ctx) => ctx.t('help'),
})
