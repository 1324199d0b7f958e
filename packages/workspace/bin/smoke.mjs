#!/usr/bin/env node
import '../dist/smoke.js'
