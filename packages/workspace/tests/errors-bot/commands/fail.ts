import { command } from '@botwright/framework'

export default command({
  description: 'Fails',
  run() {
    throw new TypeError('no tea left')
  },
})
