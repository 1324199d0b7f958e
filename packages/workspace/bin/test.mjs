#!/usr/bin/env node
import '../dist/test.js'
