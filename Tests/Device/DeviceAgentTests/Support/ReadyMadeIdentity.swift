import Foundation

/// A self-signed P-256 identity in PKCS #12, as the `openssl` command writes it; its password is "opens it".
enum ReadyMadeIdentity {
    static let pkcs12 = Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()

    private static let text = """
        MIIEDAIBAzCCA8IGCSqGSIb3DQEHAaCCA7MEggOvMIIDqzCCAmIGCSqGSIb3DQEHBqCCAlMwggJPAgEAMIICSAYJKoZIhvcN
        AQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhmSKlKL8dySgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQME
        ASoEEOXva2QZgIGztpxKKwjD4+2AggHgztQvNzvA08vSN/ciyWb1LiJ2FiNDXk29T3u11/AMFWWyg4DZCX45FSL6J2znwzRR
        zV62ixGtQ7GFc+40yyd6wbu966XiVf6iQtt9zw0cUszAggVDRaBkqiN+J+Md5ejXQdtyRHF02Gg6YhfU+RXVf1T1piEyGVJc
        eVq3FIce/ibiTdRL4H9AQ6fUyO30BRm7dQiT2xzDGgQDUQ3r6nCOPMJACeefsDaMY8QEOqeayNvdh0B0IWcEmtnmO9izF8wR
        3fBnqnrj8kMrX4Vo2YvnzPUVMoCOD0giume5/1miK+ilGfO/WT1KyY3wgklAOBITHsUXxnMlgWn5dtci2kFgOMg3f82xtt0D
        ERbORVaXde/JG7hiUunOiJFmjfeaFhzmbnjp4f42T4joVTIQD14ZYSbJXu0WRjIAWoPXyjCx/kr7Wu9FuDirUGSFoQbBOeUh
        +29oQ80YhrSmEqSeUxrtFo/ENRunLIp2luFlEsT2PiQtqks2i5TCVB7DxO9upFhu7fmn/D7pdjFoIwbvY1IMST4Dn1siZQjO
        CWTQJ4Xxjs+AXmLmnH4l1o0fwhZGem/HnNT5hVOv3Ej3ACbdaVWAvM7bEXBjST3JN6PQL2FcjeemgkN8IBaA4TMlZh0FdzP6
        MIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZI
        hvcNAQUMMBwECLpnnFKgAGt9AgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQDKCd3Dor4HRlMkvwyrbwdwSBkIJQ
        Ldb4lDlzuvdbT8mOdw0WbE0WRBIbx1Wd8Rvb5GD6Dd0ug2j7vavrwIkDPO8+dM7zVMwj+t2WB7jYNiD3ScbgNBX5LTJzUI7S
        5/TS9+tF1f+cqT3kH//daWvaO4FYSTvQM1tryNZ2RP7L3iuYfaAQmk1XTUT1DKW/dPrl+m71mlri4IEyWS3IeQIF3w8C4jEl
        MCMGCSqGSIb3DQEJFTEWBBTv226YoB+kF8VE1L8BJUuyf4i9CTBBMDEwDQYJYIZIAWUDBAIBBQAEIMKC+VKgGRmC87ztOaaG
        54LRq0qiFbg4BCglQABFHHDzBAik49n3UGzfkQICCAA=
        """
}
