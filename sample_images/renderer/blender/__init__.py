"""A scene as Blender path-traces it: textures, meshes, materials, linear light, and the phone's
sensor that develops it.

Nothing here is random but the sensor's seeded noise.
"""
