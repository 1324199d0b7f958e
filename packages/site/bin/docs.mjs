#!/usr/bin/env node
import '../dist/program.js'
