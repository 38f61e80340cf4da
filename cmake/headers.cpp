// Nothing: a target that the precompiled headers belong to.
