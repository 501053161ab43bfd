"""A scene path-traced in Blender: textures, meshes, materials, linear light, and the phone's sensor
that develops it.

Nothing here is random except the sensor's seeded noise.
"""
