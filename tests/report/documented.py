"""What the consumers' documentation says of formats that no registry has a schema for."""

from typing import Any

_TEXT = {"type": "string", "minLength": 1}
_NUMBER = {"type": "integer", "minimum": 1}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {})},
        "additionalProperties": False,
    }


# https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
GITLAB = {
    "type": "array",
    "items": _object(
        {
            "description": _TEXT,
            "check_name": _TEXT,
            "fingerprint": _TEXT,
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": _object(
                {
                    # Relative to the repository, and not with `./` before it.
                    "path": {**_TEXT, "not": {"pattern": "^(\\./|/)"}},
                    "lines": _object({"begin": _NUMBER}, {"end": _NUMBER}),
                }
            ),
        }
    ),
}

_POSITION = _object({"line": _NUMBER, "column": _NUMBER})
_RANGE = _object({"start": _POSITION, "end": _POSITION})
_LOCATION = _object({"path": _TEXT, "range": _RANGE})
_CODE = _object({"value": _TEXT}, {"url": _TEXT})

# https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
RDJSON = _object(
    {
        "source": _object({"name": _TEXT}, {"url": _TEXT}),
        "diagnostics": {
            "type": "array",
            "items": _object(
                {"message": _TEXT, "location": _LOCATION},
                {
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": _CODE,
                    "suggestions": {
                        "type": "array",
                        "items": _object({"range": _RANGE, "text": {"type": "string"}}),
                    },
                    "related_locations": {
                        "type": "array",
                        "items": _object({"location": _LOCATION}, {"message": _TEXT}),
                    },
                },
            ),
        },
    }
)
