export { defaultWorld } from './lib/world/default-world.ts'
