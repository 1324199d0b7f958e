import { command } from '@botwright/framework'

export default command({
  description: 'Fails',
  run: () => {
    throw new Error('no fuel')
  },
})
