# SPDX-License-Identifier: MIT
"""A software bill of materials of a release: SPDX 2.3 as JSON."""
import hashlib
import json


def sum_of(algorithm, data):
    return {"algorithm": algorithm.upper(), "checksumValue": hashlib.new(algorithm, data).hexdigest()}


def bill_of_materials(name, version, homepage, created, files):
    """`files` are the bytes of a release by their names; none of them contains or links anything but sinter."""
    digest = hashlib.sha256("".join(sorted(hashlib.sha256(data).hexdigest() for data in files.values())).encode()).hexdigest()
    code = hashlib.sha1("".join(sorted(hashlib.sha1(data).hexdigest() for data in files.values())).encode()).hexdigest()
    package = "SPDXRef-Package"
    described = [{"SPDXID": f"SPDXRef-File-{number}", "fileName": f"./{file}",
                  "checksums": [sum_of("sha1", data), sum_of("sha256", data)],
                  "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}
                 for number, (file, data) in enumerate(sorted(files.items()), 1)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", package)] + [(package, "CONTAINS", file["SPDXID"]) for file in described]
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "documentNamespace": f"{homepage}/spdx/{name}-{version}-{digest}",
        "creationInfo": {"created": created, "creators": ["Organization: The sinter authors", "Tool: packaging/release.py"]},
        "packages": [{
            "SPDXID": package, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "homepage": homepage,
            "filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": code},
            "licenseConcluded": "MIT", "licenseDeclared": "MIT", "licenseInfoFromFiles": ["NOASSERTION"],
            "copyrightText": "Copyright (c) 2026 The sinter authors"}],
        "files": described,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relations]}, indent=2) + "\n"
