import { defineConfig, keyValueStore } from '@botwright/framework'
import { createStorage } from 'unstorage'
import fs from 'unstorage/drivers/fs'

export default defineConfig({
  store: ({ clock }) => keyValueStore(createStorage({ driver: fs({ base: '.data' }) }), clock),
})
