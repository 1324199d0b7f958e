#!/usr/bin/env node
import '../dist/api.js'
