import fc from 'fast-check'

// Setup of every project: properties draw their values from the seed of the configuration.
fc.configureGlobal({ seed: Number(process.env['SEED']) })
