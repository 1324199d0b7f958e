import { command } from '@botwright/framework'

export default command({ description: 'Never ends', run: () => new Promise<void>(() => {}) })
