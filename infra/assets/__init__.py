"""What is uploaded for the functions of a deployment: their code, and a layer per weight class."""

from infra.assets.code import code
from infra.assets.layers import HELM_ARCHITECTURE, HELM_PROGRAM, layer, twin
from infra.assets.place import AssetFault

__all__ = ["HELM_ARCHITECTURE", "HELM_PROGRAM", "AssetFault", "code", "layer", "twin"]
